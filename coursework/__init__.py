"""The course: problem sets, and a grader that runs what students hand in without trusting it. See coursework/README.md."""
