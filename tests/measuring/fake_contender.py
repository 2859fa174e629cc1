"""A contender that decodes nothing: it answers as its first argument says, and never looks at a clock."""

import json
import sys

if sys.argv[1] == "missing":
    print(json.dumps({"missing": "not installed: get it"}), flush=True)
elif sys.argv[1] != "broken":
    print(json.dumps({"versions": {"fake": "1"}}), flush=True)
    for asked, line in enumerate(sys.stdin, start=1):
        outputs = [[json.loads(line)["batch"]] * 3, [7]] if sys.argv[1] == "same" else [[0] * 3, [7]]
        print(json.dumps({"seconds": float(asked), "wall": 2.0 * asked, "outputs": outputs}), flush=True)
