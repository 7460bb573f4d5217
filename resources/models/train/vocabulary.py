"""The tokens of the model, and how a text becomes tokens: as src/main/embeddings/builtin-tokens.ts does it.

A text is folded (NFKD without marks, lower case, traditional characters as simplified ones). A word (a run of letters and
digits) is one token where the vocabulary has it, else the longest beginning that it has, and then the longest pieces
(`##ing`) of the rest; what has none is left out. A run of CJK characters is cut into the longest words of up to four
characters that the vocabulary has, from the left.
"""
import re, unicodedata
from collections import Counter

CJK = '\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af'
RUN = re.compile(f'[{CJK}]+|[^\\W_{CJK}]+')
LONGEST_CJK = 4
LONGEST_WORD = 40


def fold(text, simplified={}):
    if not text.isascii():
        text = ''.join(c for c in unicodedata.normalize('NFKD', text) if not unicodedata.combining(c))
        text = unicodedata.normalize('NFC', text)
        text = ''.join(simplified.get(c, c) for c in text)
    return text.lower()


def runs(text, simplified={}):
    return RUN.findall(fold(text, simplified))


class Vocabulary:
    def __init__(self, tokens, simplified={}):
        self.tokens, self.simplified = list(tokens), simplified
        self.ids = {token: at for at, token in enumerate(self.tokens)}
        self.known = {}

    def __call__(self, text):
        found = []
        for run in runs(text, self.simplified):
            pieces = self.known.get(run)
            if pieces is None:
                pieces = self.known[run] = self.pieces(run)
            found.extend(pieces)
        return found

    def pieces(self, run):
        if re.match(f'[{CJK}]', run):
            return self.longest(run, LONGEST_CJK, lambda at: '')
        whole = self.ids.get(run)
        if whole is not None:
            return [whole]
        return self.longest(run[:LONGEST_WORD], LONGEST_WORD, lambda at: '##' if at else '')

    def longest(self, run, most, mark):
        found, at = [], 0
        while at < len(run):
            for end in range(min(len(run), at + most), at, -1):
                token = self.ids.get(mark(at) + run[at:end])
                if token is not None:
                    found.append(token)
                    break
            else:
                end = at + 1
            at = end
        return found


def choose(counts, base, room):
    """The tokens of `base`, and the most frequent words beside them, up to `room`."""
    chosen = dict.fromkeys(base)
    for word, count in counts.most_common():
        if len(chosen) >= room or count < 4:
            break
        if not word.isdigit():
            chosen[word] = None
    return list(chosen)


def count_words(file, simplified={}):
    counts = Counter()
    with open(file) as lines:
        for line in lines:
            counts.update(runs(line, simplified))
    return counts


def count_chinese(file, simplified):
    """Words of up to four characters and single characters by frequency: jieba's dictionary (PyPI jieba, MIT), to which what
    the texts say is added."""
    import jieba

    told = Counter()
    for line in open(jieba.get_dict_file().name, encoding='utf-8'):
        word, count, *_ = line.split()
        word = ''.join(simplified.get(c, c) for c in word)
        if re.fullmatch(r'[\u4e00-\u9fff]{2,4}', word):
            told[word] += int(count)
    total = sum(told.values())
    jieba.setLogLevel(60)
    own = Counter()
    for line in open(file, encoding='utf-8'):
        line = ''.join(simplified.get(c, c) for c in line)
        own.update(word for word in jieba.cut(line) if re.fullmatch(r'[\u4e00-\u9fff]{1,4}', word))
    scale = total / max(1, sum(own.values())) / 3
    letters = Counter()
    for word, count in told.items():
        for letter in word:
            letters[letter] += count
    counts = Counter({word: count + scale * own[word] for word, count in told.items()})
    for letter, count in letters.most_common(3200):
        counts[letter] = count / 4
    return counts
