"""Makes the model, step by step (README.md): train.py --work FOLDER [--texts CLONES] [--out FILE]. Every step keeps what it made in
WORK, so that it can be stopped and started again."""
import argparse, hashlib, json, pathlib, re
from collections import Counter

import numpy as np
from scipy import sparse

import encode, texts, vocabulary
from vocabulary import CJK, Vocabulary

HERE = pathlib.Path(__file__).resolve().parent
DIMENSIONS = 256
ROOM = {'en': 27_000, 'zh': 13_000}
PIECES = 2_500
LETTERS = 2_600
GLOSS = 0.3
RELATED = 8
LEAST_COSINE = 0.4
SEED = 17
# What function words and filler count, of their rarity.
HELD_BACK = 0.3, 0.7
# Texts that both teachers read.
BRIDGE = 60_000
# In which a word says nothing but itself.
SENTENCES = {
    'en': ['my {}', 'what about {}?', 'she talked about {} yesterday', 'the thing with {} is done'],
    'zh': ['我的{}', '{}怎么样了？', '昨天说到{}的事情', '他想要{}', '关于{}'],
}


def simplified():
    """Traditional characters and their simplified ones, from the app's own table."""
    source = (HERE.parents[2] / 'src/shared/util/han.ts').read_text()
    pairs = re.search(r'`\n(.*?)`', source, re.S)[1].replace('\n', '')
    return dict(zip(pairs[::2], pairs[1::2]))


def english_candidates(work):
    """Words and pieces of the teacher's vocabulary that are written in Latin letters, then frequent words of the texts, with
    how often each is said: what people say counts twenty times what books and encyclopaedias say."""
    from tokenizers import Tokenizer

    encode.MiniLM(work)
    teacher = Tokenizer.from_file(str(work / 'minilm/tokenizer.json')).get_vocab()
    base = [t for t, _ in sorted(teacher.items(), key=lambda item: item[1]) if re.fullmatch(r'(##)?[a-z0-9]+', t)]
    counts = vocabulary.count_words(work / 'all.en.txt')
    for word, count in vocabulary.count_words(work / 'texts.en.txt').items():
        counts[word] += 20 * count
    return vocabulary.choose(counts, base, 34_000), counts


def english_tokens(candidates, counts):
    """The first of the whole words, and the pieces that the words left out are most often made of."""
    single = [t for t in candidates if len(t.removeprefix('##')) == 1]
    words = [t for t in candidates if not t.startswith('##')]
    chosen = dict.fromkeys([*single, *words][: ROOM['en'] - PIECES])
    pieces = Vocabulary([*chosen, *(t for t in candidates if t.startswith('##'))])
    used = Counter()
    for word, count in counts.items():
        if word not in chosen and word.isascii():
            for token in pieces.pieces(word):
                used[pieces.tokens[token]] += min(count, 50)
    for token, _ in used.most_common():
        if len(chosen) >= ROOM['en']:
            break
        chosen[token] = None
    return list(chosen)


def chinese_tokens(work, folder, folds):
    """Words of the Chinese wordnets with their synsets' English members and gloss, by frequency, and the characters that they
    are written with: {token: [(words, gloss), ...]}, {token: count}."""
    senses, glosses = texts.senses(folder)
    counts = vocabulary.count_chinese(work / 'all.zh.txt', folds)
    known = {}
    for word, synsets in senses.items():
        word = ''.join(folds.get(c, c) for c in word)
        if re.fullmatch(r'[\u4e00-\u9fff]{1,4}', word):
            known.setdefault(word, []).extend(glosses[one] for one in synsets if one in glosses)
    letters = [t for t, _ in counts.most_common() if len(t) == 1][:LETTERS]
    words = [t for t, _ in counts.most_common() if len(t) > 1 and known.get(t)][: ROOM['zh'] - len(letters)]
    return {t: known.get(t, []) for t in [*letters, *words]}, {t: counts[t] for t in [*letters, *words]}


def chinese_table(tokens, counts, vocab, table, weights):
    """A vector for each Chinese token in the space of the English ones: the mean of its senses, each of which is what its English
    names and its gloss mean. A character without senses is what the words mean that it stands in."""
    diagonal = sparse.diags(weights.astype(np.float32))
    mean_of = lambda lines: unit((bags(vocab, lines) @ diagonal) @ table)
    names = [', '.join(words) for senses in tokens.values() for words, _ in senses]
    glosses = [gloss for senses in tokens.values() for _, gloss in senses]
    sense = unit(mean_of(names) + GLOSS * mean_of(glosses))
    out, at = np.zeros((len(tokens), table.shape[1]), np.float32), 0
    for row, senses in enumerate(tokens.values()):
        if senses:
            out[row] = sense[at : at + len(senses)].mean(0)
        at += len(senses)
    out = unit(out)
    numbers = {token: row for row, token in enumerate(tokens)}
    inside = np.zeros_like(out)
    for token, row in numbers.items():
        for letter in token if len(token) > 1 else '':
            if letter in numbers:
                inside[numbers[letter]] += np.sqrt(counts[token]) * out[row]
    inside = unit(inside)
    for token, row in numbers.items():
        if len(token) == 1:
            out[row] = unit((out[row] + inside[row])[None])[0]
    return out


def bags(vocab, lines):
    """(len(lines), tokens), how often each token stands in each line."""
    rows = [vocab(line) for line in lines]
    starts = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter((token for row in rows for token in row), np.int32, starts[-1])
    matrix = sparse.csr_matrix((np.ones(len(columns), np.float32), columns, starts), (len(rows), len(vocab.tokens)))
    matrix.sum_duplicates()
    return matrix


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def principal(vectors, dimensions):
    """The directions in which the rows differ most: (384, dimensions)."""
    _, _, directions = np.linalg.svd(np.cov(vectors.T))
    return directions[:dimensions].T.astype(np.float32)


def rarity(bag, smoothing=1e-3):
    """SIF: a / (a + p) for each token."""
    counts = np.asarray(bag.sum(0)).ravel() + 0.5
    return smoothing / (smoothing + counts / counts.sum())


class Adam:
    def __init__(self, shape, rate):
        self.rate, self.m, self.v, self.t = rate, np.zeros(shape, np.float32), np.zeros(shape, np.float32), 0

    def step(self, values, gradient, share=1.0):
        self.t += 1
        self.m += 0.1 * (gradient - self.m)
        self.v += 0.001 * (gradient * gradient - self.v)
        m, v = self.m / (1 - 0.9**self.t), self.v / (1 - 0.999**self.t)
        values -= self.rate * share * m / (np.sqrt(v) + 1e-8)


def regress(table, weights, bag, wanted, epochs=5, batch=4096, rate=1e-3, log=print):
    """Moves the tokens' vectors so that a text's weighted mean points where the teacher's vector does (1 - cosine)."""
    rng = np.random.default_rng(SEED)
    weighted = bag @ sparse.diags(weights.astype(np.float32))
    keep = np.flatnonzero(np.asarray(weighted.sum(1)).ravel() > 0)
    table = table.copy()
    adam = Adam(table.shape, rate)
    steps = epochs * (len(keep) // batch)
    done = 0
    for epoch in range(epochs):
        total = 0.0
        order = rng.permutation(keep)
        for at in range(0, len(order) - batch + 1, batch):
            rows = np.sort(order[at : at + batch])
            mine = weighted[rows]
            summed = mine @ table
            norms = np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-6)
            own = summed / norms
            target = wanted[rows]
            cosine = (own * target).sum(1, keepdims=True)
            total += float(cosine.sum())
            gradient = mine.T @ ((cosine * own - target) / norms / batch * 256)
            adam.step(table, gradient, 1 - done / steps)
            done += 1
        log(f'regress {epoch}: mean cosine {total / (len(order) // batch * batch):.4f}', flush=True)
    return table


def contrast(table, weights, asked, answers, epochs=5, batch=1024, rate=1e-3, scale=20.0, log=print):
    """In-batch negatives on question-passage pairs, both ways."""
    rng = np.random.default_rng(SEED)
    diagonal = sparse.diags(weights.astype(np.float32))
    asked, answers = asked @ diagonal, answers @ diagonal
    has = lambda bag: np.asarray(bag.sum(1)).ravel() > 0
    keep = np.flatnonzero(has(asked) & has(answers))
    table = table.copy()
    adam = Adam(table.shape, rate)
    steps, done = epochs * (len(keep) // batch), 0
    for epoch in range(epochs):
        total = 0.0
        order = rng.permutation(keep)
        for at in range(0, len(order) - batch + 1, batch):
            rows = order[at : at + batch]
            gradients, units = [], []
            for bag in (asked[rows], answers[rows]):
                summed = bag @ table
                norms = np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-6)
                units.append((bag, summed / norms, norms))
            (qb, q, qn), (pb, p, pn) = units
            logits = scale * (q @ p.T)
            forward = np.exp(logits - logits.max(1, keepdims=True))
            forward /= forward.sum(1, keepdims=True)
            backward = np.exp(logits - logits.max(0, keepdims=True))
            backward /= backward.sum(0, keepdims=True)
            total -= float(np.log(np.maximum(np.diag(forward), 1e-12)).sum())
            grad = (forward + backward) / 2
            grad[np.arange(batch), np.arange(batch)] -= 1
            grad *= scale / batch
            dq, dp = grad @ p, grad.T @ q
            dq = (dq - (dq * q).sum(1, keepdims=True) * q) / qn
            dp = (dp - (dp * p).sum(1, keepdims=True) * p) / pn
            adam.step(table, qb.T @ dq + pb.T @ dp, 1 - done / steps)
            done += 1
        log(f'contrast {epoch}: loss {total / (len(order) // batch * batch):.4f}', flush=True)
    return table


def quantise(table, weights):
    """int8 rows, and for each what it counts: its weight times its scale."""
    scale = np.maximum(np.abs(table).max(1), 1e-9) / 127
    rows = np.clip(np.rint(table / scale[:, None]), -127, 127).astype(np.int8)
    return rows, (weights * scale).astype('<f4')


def related(tokens, table, groups, count):
    """For each whole word the `count` words of its group that are nearest to it, one of each stem and none of its own:
    (tokens, count) numbers, and cosines in 255ths. Pieces have none."""
    import snowballstemmer

    stems = snowballstemmer.stemmer('porter')
    stem = [stems.stemWord(token) if token.isascii() else token for token in tokens]
    numbers = np.zeros((len(tokens), count), '<u2')
    cosines = np.zeros((len(tokens), count), np.uint8)
    rows = unit(table).astype(np.float32)
    for group in groups:
        group = np.array([at for at in group if not tokens[at].startswith('##') and not tokens[at].isdigit()])
        for start in range(0, len(group), 1000):
            part = group[start : start + 1000]
            near = rows[part] @ rows[group].T
            best = np.argpartition(-near, 4 * count, axis=1)[:, : 4 * count]
            for at, token in enumerate(part):
                seen, place = {stem[token]}, 0
                for other in best[at][np.argsort(-near[at][best[at]], kind='stable')]:
                    name = stem[group[other]]
                    if name in seen or place == count or near[at, other] < LEAST_COSINE:
                        continue
                    seen.add(name)
                    numbers[token, place], cosines[token, place] = group[other], round(255 * float(min(1, near[at, other])))
                    place += 1
    return numbers, cosines


def write_model(file, name, tokens, rows, weights, folds, near):
    """The format is in ../builtin/README.md. Returns the file's SHA-256."""
    vocabulary_bytes = '\n'.join(tokens).encode()
    header = {
        'name': name,
        'dimensions': rows.shape[1],
        'tokens': len(tokens),
        'related': near[0].shape[1],
        'vocabularyBytes': len(vocabulary_bytes),
        'folds': ''.join(a + b for a, b in folds.items()),
    }
    head = json.dumps(header, ensure_ascii=False).encode()
    before = b'CPSE' + (1).to_bytes(4, 'little') + len(head).to_bytes(4, 'little') + head + vocabulary_bytes
    before += b'\0' * (-len(before) % 4)
    data = before + weights.tobytes() + near[0].tobytes() + near[1].tobytes() + rows.tobytes()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def listed(language):
    """The app's own lists of what holds a question together, and of what fills it; stems of English words."""
    source = (HERE.parents[2] / f'src/main/search/text/words/{language}-stop-words.ts').read_text()
    return [re.search(rf'{language}{kind}Words = `(.*?)`', source, re.S)[1].split() for kind in ('Function', 'Filler')]


def held_back(tokens, weights):
    """Words that say nothing of what a text is about count less than their rarity says: `HELD_BACK`. Of Chinese, also the
    characters that are left of such words where the vocabulary does not have the whole."""
    import snowballstemmer

    stems = snowballstemmer.stemmer('porter')
    factors = {}
    for kind, (english, chinese) in enumerate(zip(listed('english'), listed('chinese'))):
        for word in [*(stems.stemWord(one) for one in english), *chinese, *('' if kind else '什怎些何啥')]:
            factors.setdefault(word, HELD_BACK[kind])
    return np.array(
        [w * factors.get(stems.stemWord(t) if t.isascii() else t, 1) for t, w in zip(tokens, weights)], np.float32
    )


def pairs(work):
    """Questions with what answers them; one answer a question."""
    found = {}
    for language in ['en', 'zh']:
        for line in (work / f'pairs.{language}.tsv').read_text().split('\n'):
            origin, _, *values = line.split('\t')
            if len(values) == 2 and (language == 'zh' or origin in ('nqg', 'Topical-Chat', 'QMSum')):
                found.setdefault((origin, values[0]), values[1])
    return [question for _, question in found], list(found.values())


def kept(file, make):
    """What `make` makes, from the file where it was made before."""
    if not file.exists():
        np.save(file, make())
    return np.load(file)


def write_words(work, name, tokens, sentences):
    """WORK/NAME.0.txt has the words alone, the others each word in a sentence that says nothing else."""
    words = [token.removeprefix('##') for token in tokens]
    for at, sentence in enumerate(['{}', *sentences]):
        (work / f'{name}.{at}.txt').write_text('\n'.join(sentence.format(word) for word in words))


def taught_words(work, teacher, name, sentences):
    """(words, 384): what a teacher makes of each word, alone and in sentences, as it differs from what it makes of the others.
    A teacher of sentences is not sure of a word alone."""
    by_sentence = [centred(encode.encode(work, teacher, f'{name}.{at}')[1]) for at in range(len(sentences) + 1)]
    return centred(unit(sum(by_sentence)))


def centred(vectors):
    return unit(vectors - vectors.mean(0))


def translation(source, target, ridge=10):
    """(384, 384): from what one teacher says of some texts to what the other says of them, by least squares."""
    square = source.T @ source + ridge * np.eye(source.shape[1], dtype=np.float32)
    return np.linalg.solve(square, source.T @ target)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument('--work', type=pathlib.Path, required=True, help='folder for what is made on the way')
    options.add_argument('--texts', type=pathlib.Path, help='folder with clones of the repositories (default: WORK/clones)')
    options.add_argument('--out', type=pathlib.Path, default=HERE.parent / 'builtin/model.bin')
    given = options.parse_args()
    work, folder, folds = given.work, given.texts or given.work / 'clones', simplified()
    if not (work / 'pairs.en.tsv').exists():
        texts.collect(folder, work)
    candidates, counts = english_candidates(work)
    english = english_tokens(candidates, counts)
    chinese, frequency = chinese_tokens(work, folder, folds)
    tokens = [*english, *chinese]
    vocab = Vocabulary(tokens, folds)
    write_words(work, 'words.en', english, SENTENCES['en'])
    write_words(work, 'words.zh', chinese, SENTENCES['zh'])

    # What is rare counts: each language by its own frequencies.
    counted = (work / 'texts.en.txt').read_text().split('\n')[:120_000]
    own = kept(work / 'rarity.npy', lambda: rarity(bags(Vocabulary(english, folds), counted)))
    share = np.array(list(frequency.values()), float)
    plain = np.concatenate([own, 1e-3 / (1e-3 + share / share.sum())]).astype(np.float32)
    weights = held_back(tokens, plain)

    # Everything is wanted where MiniLM puts it; of Chinese, where MiniLM would, going by what e5 says.
    lines, passages = encode.encode(work, 'minilm', 'texts.en')
    passages = centred(passages)
    bridge = translation(centred(encode.encode(work, 'e5', 'texts.en', BRIDGE)[1]), passages[:BRIDGE])
    chinese_lines, chinese_passages = encode.encode(work, 'e5', 'texts.zh')
    words = taught_words(work, 'minilm', 'words.en', SENTENCES['en'])
    directions = principal(words, DIMENSIONS)
    project = lambda vectors: unit(vectors @ directions).astype(np.float32)
    table = project(words)
    net = chinese_table(chinese, frequency, Vocabulary(english, folds), table, plain[: len(english)])
    chinese_words = project(unit(taught_words(work, 'e5', 'words.zh', SENTENCES['zh']) @ bridge))
    table = np.concatenate([table, unit(chinese_words + net)]).astype(np.float32)

    # A word is a text as well.
    whole = np.array([at for at, token in enumerate(tokens) if not token.startswith('##')])
    alone = sparse.identity(len(tokens), dtype=np.float32, format='csr')[whole]
    bag = sparse.vstack([bags(vocab, lines), bags(vocab, chinese_lines), alone]).tocsr()
    wanted = np.concatenate([project(passages), project(unit(centred(chinese_passages) @ bridge)), table[whole]])
    table = kept(work / 'regressed.npy', lambda: regress(table, weights, bag, wanted))
    questions, answers = pairs(work)
    table = kept(work / 'contrasted.npy', lambda: contrast(table, weights, bags(vocab, questions), bags(vocab, answers)))
    near = related(tokens, table, [range(len(english)), range(len(english), len(tokens))], RELATED)
    numbers, scaled = quantise(table, weights)
    print(write_model(given.out, 'commonplace-3', tokens, numbers, scaled, folds, near))


if __name__ == '__main__':
    main()
