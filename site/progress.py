"""What `make book` says while Sphinx works: page n of N, whether it was run, and how long that took.

Sphinx's own output goes into a log file, whole. Of it, a reader of the terminal sees one line per page, and every
warning and error as it is. On a terminal the page at work is shown on a line that is written over.
"""

import re
import subprocess
import sys
import threading
import time

COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Every kernel says this once, about a connection that does not leave the machine.
KERNEL_NOISE = re.compile(r"\[IPKernelApp\] WARNING \| Kernel is running over TCP without encryption")
COUNTED = re.compile(r"updating environment: .*?(\d+) added, (\d+) changed")
AHEAD = re.compile(r"running (\d+) pages, \d+ at once")
EXECUTED = re.compile(r"(\S+)\.md: Executed notebook in ([\d.]+) seconds")
READING = re.compile(r"reading sources\.\.\. \[ *\d+%\] (\S+)")
WRITING = re.compile(r"writing output\.\.\. \[ *(\d+)%\] (\S+)( \.\. )?")
REFERENCE = re.compile(r"reference target not found|undefined label|unknown document|could not find bibtex key|\[ref\.")


def minutes(seconds):
    """A duration, such as "4 s" or "5 min 20 s"."""
    whole = round(seconds)
    return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s" if whole < 90 else f"{whole // 60} min {whole % 60} s"


class Progress:
    """Follows the lines that Sphinx writes, and tells of them.

    Args:
        log: an open text file for everything.
        out: where to tell, such as `sys.stdout`.
        pages: how many pages will be read, if that is known before Sphinx counts them.
        hold: keep warnings back until `release`, for a build that may turn out to have to be made again.
        without_references: count warnings about references instead of showing them.
    """

    def __init__(self, log, out=None, pages=0, hold=False, without_references=False):
        self.log, self.out = log, out or sys.stdout
        self.live = self.out.isatty()
        self.hold, self.without_references = hold, without_references
        self.pages, self.done, self.written, self.unchecked = pages, 0, 0, 0
        self.ahead, self.ran, self.in_lots = 0, 0, False
        self.page, self.kind, self.started, self.writing = None, "", 0.0, None
        self.warnings = []
        self.lock = threading.Lock()

    def say(self, text, passing=False):
        """A line that stays, or on a terminal one that the next replaces."""
        if passing and not self.live:
            return
        clear, end = ("\r\x1b[K" if self.live else ""), ("" if passing else "\n")
        print(f"{clear}{text}", end=end, file=self.out, flush=True)

    def status(self, line):
        """A line of Sphinx's ordinary output."""
        with self.lock:
            text = self.record(line)
            if (found := COUNTED.search(text)) and not self.pages:
                self.pages = int(found[1]) + int(found[2])
                self.say(f"{self.pages} pages to read" if self.pages != 1 else "1 page to read")
            elif found := AHEAD.search(text):
                self.say(f"{found[1]} pages to run")
                self.ahead = int(found[1])
            elif self.kind != "run" and (found := EXECUTED.search(text)):  # ahead of its reading
                self.ran += 1
                page = found[1].rpartition("/chapters/")[2]
                self.say(f"{self.ran:{len(str(self.ahead))}} of {self.ahead}  {page}: run, {minutes(float(found[2]))}")
            elif found := READING.search(text):
                self.finish_page()
                self.page, self.kind, self.started = found[1], "read", time.monotonic()
                self.say(f"{self.numbered()} …", passing=True)
            elif "Executing notebook" in text:
                self.kind = "run"
                self.say(f"{self.numbered()}: running …", passing=True)
            elif "Using cached notebook" in text:
                self.kind = "from the cache"
            elif "looking for now-outdated files" in text:
                self.finish_page()
            elif found := WRITING.search(text):
                self.writing = self.writing or time.monotonic()
                self.written += 1
                self.in_lots |= bool(found[3])
                self.say(f"writing: {found[1]} %, {found[2].removeprefix('chapters/')}", passing=True)
            elif self.writing and "writing output" not in text:
                self.finish_writing()

    def warning(self, line):
        """A line of Sphinx's warnings, or of a kernel's."""
        with self.lock:
            text = self.record(line)
            if KERNEL_NOISE.search(text) or not (text or self.warnings):
                return
            if self.without_references and REFERENCE.search(text):
                self.unchecked += 1
                return
            self.warnings.append(text)
            if not self.hold:
                self.say(text)

    def record(self, line):
        text = COLOURS.sub("", line).rstrip()
        self.log.write(f"{text}\n")
        self.log.flush()
        return text

    def release(self):
        """Show the warnings that were kept back."""
        for text in self.warnings if self.hold else ():
            self.say(text)

    def numbered(self):
        return f"{self.done + 1:{len(str(self.pages))}} of {self.pages}  {self.page.removeprefix('chapters/')}"

    def finish_page(self):
        if self.page is not None:
            told = f"{self.numbered()}: {self.kind}, {minutes(time.monotonic() - self.started)}"
            self.say(told, passing=bool(self.ahead) and self.kind != "run")  # what ran ahead has been told of
            self.done, self.page = self.done + 1, None

    def finish_writing(self):
        written = self.pages if self.in_lots else self.written  # in lots, all that were read are written
        pages = "1 page" if written == 1 else f"{written} pages"
        self.say(f"wrote {pages} in {minutes(time.monotonic() - self.writing)}")
        self.writing = None


def follow(command, progress, **options):
    """Run a command, tell its progress, and return its exit status."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", **options
    )
    threads = [
        threading.Thread(target=lambda pipe=pipe, tell=tell: [tell(line) for line in pipe], daemon=True)
        for pipe, tell in ((process.stdout, progress.status), (process.stderr, progress.warning))
    ]
    for thread in threads:
        thread.start()
    try:
        process.wait()
    except BaseException:  # Ctrl-C: what runs below must not outlive this
        process.terminate()
        process.wait()
        raise
    for thread in threads:
        thread.join()
    return process.returncode
