"""What a check says of a wrong answer, for the tests of all checks."""


def diagnosis(report):
    """The message of a report that rejects."""
    assert not report, f"passed: {report.message}"
    return report.message
