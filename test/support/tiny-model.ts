/**
 * Creates a minimal embedding model: an ONNX graph with a single lookup table (a random vector per word), and its
 * tokenizer. It has the files of a real model, so the real loader runs.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const dimensions = 32

export async function writeTinyModel(folder: string, words: readonly string[]): Promise<void> {
  const vocabulary = ['[PAD]', '[UNK]', ...words]
  await mkdir(join(folder, 'onnx'), { recursive: true })
  await writeFile(join(folder, 'onnx', 'model.onnx'), lookUpModel(vocabulary.length))
  await writeFile(
    join(folder, 'config.json'),
    JSON.stringify({
      model_type: 'bert',
      architectures: ['BertModel'],
      hidden_size: dimensions,
      vocab_size: vocabulary.length,
      num_hidden_layers: 1,
      num_attention_heads: 1,
    }),
  )
  await writeFile(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify({ tokenizer_class: 'BertTokenizer', model_max_length: 512, pad_token: '[PAD]', unk_token: '[UNK]' }),
  )
  await writeFile(
    join(folder, 'tokenizer.json'),
    JSON.stringify({
      version: '1.0',
      added_tokens: [
        { id: 0, content: '[PAD]', special: true, single_word: false, lstrip: false, rstrip: false, normalized: false },
      ],
      normalizer: { type: 'Lowercase' },
      pre_tokenizer: { type: 'Whitespace' },
      post_processor: null,
      decoder: null,
      model: {
        type: 'WordLevel',
        vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
        unk_token: '[UNK]',
      },
    }),
  )
}

/** ONNX uses protocol buffers. The field numbers are those of onnx.proto. */
function lookUpModel(rows: number): Uint8Array {
  const table = new Float32Array(rows * dimensions)
  let state = 7
  for (let index = 0; index < table.length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    table[index] = state / 0x7fffffff - 0.5
  }
  const initializer = message(
    varint(1, rows),
    varint(1, dimensions),
    varint(2, 1),
    bytes(8, 'table'),
    bytes(9, new Uint8Array(table.buffer)),
  )
  const node = message(
    bytes(1, 'table'),
    bytes(1, 'input_ids'),
    bytes(2, 'last_hidden_state'),
    bytes(3, 'look-up'),
    bytes(4, 'Gather'),
  )
  const graph = message(
    bytes(1, node),
    bytes(2, 'tiny'),
    bytes(5, initializer),
    bytes(11, tensor('input_ids', 7, ['batch', 'length'])),
    bytes(11, tensor('attention_mask', 7, ['batch', 'length'])),
    bytes(12, tensor('last_hidden_state', 1, ['batch', 'length', dimensions])),
  )
  return message(varint(1, 8), bytes(7, graph), bytes(8, message(bytes(1, ''), varint(2, 13))))
}

function tensor(name: string, elementType: number, shape: readonly (string | number)[]): Uint8Array {
  const dims = shape.map((size) =>
    bytes(1, typeof size === 'string' ? message(bytes(2, size)) : message(varint(1, size))),
  )
  return message(
    bytes(1, name),
    bytes(2, message(bytes(1, message(varint(1, elementType), bytes(2, message(...dims)))))),
  )
}

function message(...fields: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(fields))
}

function varint(field: number, value: number): Uint8Array {
  return new Uint8Array([...encode(field << 3), ...encode(value)])
}

function bytes(field: number, value: string | Uint8Array): Uint8Array {
  const content = typeof value === 'string' ? new TextEncoder().encode(value) : value
  return message(new Uint8Array([...encode((field << 3) | 2), ...encode(content.length)]), content)
}

function encode(value: number): number[] {
  const encoded: number[] = []
  let rest = value
  while (rest > 127) {
    encoded.push((rest & 127) | 128)
    rest = Math.floor(rest / 128)
  }
  encoded.push(rest)
  return encoded
}
