"""From one master to what students, instructors and the grader get: see coursework/README.md."""
