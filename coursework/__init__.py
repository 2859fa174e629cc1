"""Problem sets, and a grader that runs what is handed in without trusting it: see coursework/README.md."""
