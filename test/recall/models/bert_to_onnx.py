"""Writes a BERT encoder's weights (safetensors) as the ONNX model that transformers.js loads from a folder.

usage: bert_to_onnx.py MODEL_FOLDER OUT   (MODEL_FOLDER has config.json, model.safetensors and the tokenizer's files)
"""
import json, pathlib, shutil, struct, sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save


def weights_of(file):
    """Returns arrays by name. The format is the header's length, a JSON header, and the numbers."""
    data = pathlib.Path(file).read_bytes()
    (length,) = struct.unpack('<Q', data[:8])
    header = json.loads(data[8 : 8 + length])
    numbers = memoryview(data)[8 + length :]
    arrays = {}
    for name, entry in header.items():
        if name == '__metadata__' or entry['dtype'] != 'F32':
            continue
        start, end = entry['data_offsets']
        arrays[name.removeprefix('bert.')] = np.frombuffer(numbers[start:end], np.float32).reshape(entry['shape'])
    return arrays


class Graph:
    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], {}

    def constant(self, name, array):
        self.constants.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def weight(self, name, transposed=False):
        array = self.weights[name]
        return self.constant(name, np.ascontiguousarray(array.T) if transposed else array)

    def op(self, kind, *inputs, **attributes):
        out = f'{kind}_{len(self.nodes)}'
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def dense(self, x, name):
        product = self.op('MatMul', x, self.weight(f'{name}.weight', transposed=True))
        return self.op('Add', product, self.weight(f'{name}.bias'))

    def norm(self, x, name, epsilon):
        return self.op('LayerNormalization', x, self.weight(f'{name}.weight'), self.weight(f'{name}.bias'), epsilon=epsilon)


def encoder(weights, config):
    g = Graph(weights)
    heads, size, epsilon = config['num_attention_heads'], config['hidden_size'], config['layer_norm_eps']
    ints = lambda name, *values: g.constant(name, np.array(values, np.int64))
    words = g.op('Gather', g.weight('embeddings.word_embeddings.weight'), 'input_ids')
    types = g.op('Gather', g.weight('embeddings.token_type_embeddings.weight'), 'token_type_ids')
    length = g.op('Gather', g.op('Shape', 'input_ids'), ints('one', 1))
    places = g.op('Slice', g.weight('embeddings.position_embeddings.weight'), ints('zero', 0), length, ints('zero', 0))
    x = g.norm(g.op('Add', g.op('Add', words, types), places), 'embeddings.LayerNorm', epsilon)
    mask = g.op('Unsqueeze', g.op('Cast', 'attention_mask', to=TensorProto.FLOAT), ints('middle', 1, 2))
    hidden = g.op('Sub', mask, g.constant('unit', np.array(1, np.float32)))
    hidden = g.op('Mul', hidden, g.constant('far', np.array(1e4, np.float32)))
    split, join = ints('split', 0, 0, heads, size // heads), ints('join', 0, 0, size)
    for layer in range(config['num_hidden_layers']):
        at = f'encoder.layer.{layer}'
        part = lambda name, order: g.op(
            'Transpose', g.op('Reshape', g.dense(x, f'{at}.attention.self.{name}'), split), perm=order
        )
        scores = g.op('MatMul', part('query', [0, 2, 1, 3]), part('key', [0, 2, 3, 1]))
        scores = g.op('Mul', scores, g.constant('scale', np.array((size // heads) ** -0.5, np.float32)))
        looks = g.op('MatMul', g.op('Softmax', g.op('Add', scores, hidden), axis=-1), part('value', [0, 2, 1, 3]))
        looks = g.op('Reshape', g.op('Transpose', looks, perm=[0, 2, 1, 3]), join)
        looks = g.dense(looks, f'{at}.attention.output.dense')
        x = g.norm(g.op('Add', looks, x), f'{at}.attention.output.LayerNorm', epsilon)
        inner = g.dense(x, f'{at}.intermediate.dense')
        risen = g.op('Erf', g.op('Mul', inner, g.constant('root', np.array(2**-0.5, np.float32))))
        half = g.op('Mul', inner, g.constant('half', np.array(0.5, np.float32)))
        inner = g.op('Mul', half, g.op('Add', risen, 'unit'))
        x = g.norm(g.op('Add', g.dense(inner, f'{at}.output.dense'), x), f'{at}.output.LayerNorm', epsilon)
    g.nodes.append(helper.make_node('Identity', [x], ['last_hidden_state']))
    value = lambda name, kind, *shape: helper.make_tensor_value_info(name, kind, ['batch', 'length', *shape])
    names = ['input_ids', 'attention_mask', 'token_type_ids']
    graph = helper.make_graph(
        g.nodes,
        'encoder',
        [value(name, TensorProto.INT64) for name in names],
        [value('last_hidden_state', TensorProto.FLOAT, size)],
        list(g.constants.values()),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)


def main(source, out):
    source, out = pathlib.Path(source), pathlib.Path(out)
    config = json.loads((source / 'config.json').read_text())
    (out / 'onnx').mkdir(parents=True, exist_ok=True)
    save(encoder(weights_of(source / 'model.safetensors'), config), out / 'onnx' / 'model.onnx')
    for name in ['config.json', 'tokenizer.json', 'tokenizer_config.json']:
        shutil.copy(source / name, out / name)


if __name__ == '__main__':
    main(*sys.argv[1:])
