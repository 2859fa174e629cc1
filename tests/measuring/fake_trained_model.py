"""A contender that trains nothing: five tokens a step, a second each, or two where its name is slow; its loss falls."""

import json
import sys

print(json.dumps({"versions": {"fake": "1"}}), flush=True)
for asked, line in enumerate(sys.stdin):
    steps = json.loads(line)["steps"]
    seconds = steps * (2.0 if sys.argv[1] == "slow" else 1.0)
    answer = {"seconds": seconds, "wall": 2 * seconds, "tokens": 5 * steps, "first": 9.0 - asked, "last": 8.5 - asked}
    print(json.dumps(answer), flush=True)
