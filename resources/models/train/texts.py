"""The texts that the model is trained on, from public repositories at one commit each (README.md has the licences).

A repository is cloned with git, or read from a folder of clones: OWNER/NAME, or OWNER+NAME/repo (bare ones too). Files
over 4,190,000 bytes are left out everywhere, because not every copy of these repositories has them.
"""
import json, pathlib, random, re, subprocess, sys
from collections import defaultdict

COMMITS = {
    'xinyadu/nqg': '8211129a3e97d29f3e4563e35f65e4a892f70ef0',
    'abachaa/MedQuAD': '577bd37b96c02d1833b2c9eed2de9f96964e96cb',
    'uberspot/OpenTriviaQA': 'dd31530bfbb19f9505b160b89c9df4b1127e3c70',
    'Yale-LILY/QMSum': '83d7768c1f2b4dfeb091385d3dc7e239b8e5bb7e',
    'google-research-datasets/dstc8-schema-guided-dialogue': 'e852981ae34990f4358979625854259302feaa78',
    'alexa/Topical-Chat': '7c939229cbcf6f55f6977b341a5a2f2fe982d53f',
    'globalwordnet/english-wordnet': 'd94538ad0df3d7a4c77837bde6af69d7a6592c32',
    'mlschmitt/classic-books-markdown': '944882722e9a96fa6cf2739dc2ea757e101f412f',
    'clinc/oos-eval': '828f8093932c8fe6ca7936c3d2e52903b1c523de',
    'DRCKnowledgeTeam/DRCD': 'b944790de5af02c5fbb7cd9cb1473d27d169eebf',
    'ymcui/cmrc2018': 'c0eb1b6ba219847457e6af3180da722bbeb656af',
    'deepmind/xquad': '60cac411649156efb6aab9dd4c9cde787a2c0345',
    'thu-coai/KdConv': '653db76432de09a004ba708a68f8bbd5500e6bec',
    'globalwordnet/cili': 'dfc99e15e11e5b20e143f29386220d7b69805628',
    'omwn/omw-data': 'f75be19ec590da12a7a5665e361690b5badb7a25',
}
MOST_BYTES = 4_190_000


def clone(name, folder):
    """A folder with the repository's git data; cloned into `folder` where it is not there."""
    for place in [folder / name, folder / name.replace('/', '+') / 'repo']:
        if place.exists():
            return place
    place = folder / name
    subprocess.run(['git', 'clone', '--quiet', '--no-checkout', f'https://github.com/{name}.git', str(place)], check=True)
    return place


def files(name, folder, pattern):
    """(path, text) of the files at the commit whose path fits, in the order of their paths."""
    git = ['git', '-C', str(clone(name, folder))]
    listed = subprocess.check_output([*git, 'ls-tree', '-r', '-l', '-z', COMMITS[name]], text=True)
    wanted = []
    for entry in listed.split('\0')[:-1]:
        about, path = entry.split('\t', 1)
        _, _, oid, size = about.split()
        if re.search(pattern, path) and size.isdigit() and int(size) <= MOST_BYTES:
            wanted.append((path, oid))
    reader = subprocess.Popen([*git, 'cat-file', '--batch'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for path, oid in sorted(wanted):
        reader.stdin.write(f'{oid}\n'.encode())
        reader.stdin.flush()
        size = int(reader.stdout.readline().split()[2])
        yield path, reader.stdout.read(size + 1)[:-1].decode('utf-8', 'replace')
    reader.stdin.close()
    reader.wait()


def sentences(text):
    for part in re.split(r'(?<=[.!?…])["”’\')]*\s+', text):
        part = re.sub(r'\s+', ' ', part).strip()
        if 15 <= len(part) <= 400:
            yield part


def tidy(text):
    """Undoes the tokenisation of the Penn treebank."""
    for bracket, sign in {'-lrb-': '(', '-rrb-': ')', '-LRB-': '(', '-RRB-': ')', '``': '"', "''": '"'}.items():
        text = text.replace(bracket, sign)
    return re.sub(r"\s+(n't\b|'s\b|[.,;:?!)%])", r'\1', text).replace('( ', '(').strip()


def squad(data):
    for article in data:
        for paragraph in article['paragraphs']:
            for question in paragraph['qas']:
                answers = question.get('answers') or [{}]
                at = answers[0].get('answer_start', 0)
                yield question['question'], around(paragraph['context'], int(at)), paragraph['context']


def around(text, at):
    """The sentence about a place of a text."""
    ends = [m.end() for m in re.finditer(r'[.!?。！？]["”」]?\s*', text)] + [len(text)]
    start = 0
    for end in ends:
        if at < end:
            return text[start:end].strip()
        start = end
    return text[start:].strip()


def english(folder):
    """(source, kind, values): kind `text` has one text, `pair` a question and what answers it, `chat` a reply's pair."""
    nqg = dict(files('xinyadu/nqg', folder, r'^data/processed/(src|tgt)-'))
    for part in ['train', 'dev', 'test']:
        source, target = (nqg.get(f'data/processed/{side}-{part}.txt') for side in ['src', 'tgt'])
        if source and target:
            for passage, question in zip(source.splitlines(), target.splitlines()):
                yield 'nqg', 'pair', (tidy(question), tidy(passage))
    for _, text in files('abachaa/MedQuAD', folder, r'\.xml$'):
        for question, answer in re.findall(r'<Question[^>]*>(.*?)</Question>\s*<Answer>(.*?)</Answer>', text, re.S):
            answer = re.sub(r'&(apos|quot|amp|lt|gt);', lambda m: {'apos': "'", 'quot': '"', 'amp': '&'}.get(m[1], ' '), answer)
            found = [one for one in sentences(answer)]
            for one in found[:3]:
                yield 'MedQuAD', 'pair', (question, one)
            for one in found[3:8]:
                yield 'MedQuAD', 'text', (one,)
    for _, text in files('uberspot/OpenTriviaQA', folder, r'^categories/'):
        for question, answer in re.findall(r'^#Q (.*?)\n\^ (.*?)$', text, re.S | re.M):
            question = re.sub(r'\s+', ' ', question)
            yield 'OpenTriviaQA', 'text', (f'{question} {answer}' if len(answer) > 12 else question,)
            yield 'OpenTriviaQA', 'pair', (question, answer)
    for path, text in files('Yale-LILY/QMSum', folder, r'^data/(Academic|Committee|Product)/jsonl/'):
        for line in text.splitlines():
            meeting = json.loads(line)
            for turn in meeting['meeting_transcripts']:
                for one in sentences(re.sub(r'\{\w+\}', '', turn['content'])):
                    yield 'QMSum', 'text', (one,)
            for query in meeting.get('specific_query_list', []):
                for one in list(sentences(query['answer']))[:2]:
                    yield 'QMSum', 'pair', (query['query'], one)
    for _, text in files('google-research-datasets/dstc8-schema-guided-dialogue', folder, r'/dialogues_\d+\.json$'):
        for dialogue in json.loads(text):
            for turn in dialogue['turns']:
                yield 'dstc8', 'text', (turn['utterance'],)
    for path, text in files('alexa/Topical-Chat', folder, r'^(conversations|reading_sets)/.*\.json$'):
        for conversation in json.loads(text).values():
            before = None
            for turn in conversation.get('content', []) if isinstance(conversation, dict) else []:
                message = turn['message'].strip()
                yield 'Topical-Chat', 'text', (message,)
                if before and before.endswith('?'):
                    yield 'Topical-Chat', 'chat', (before, message)
                before = message
    for _, words, gloss, examples in synsets(folder):
        yield 'english-wordnet', 'text', (f'{", ".join(words[:4])}: {gloss}',)
        yield 'english-wordnet', 'pair', (words[0], gloss)
        for example in examples:
            if len(example) > 20 and not example.startswith(('source:', 'text:')):
                yield 'english-wordnet', 'text', (example,)
    for _, text in files('clinc/oos-eval', folder, r'^data/data_full\.json$'):
        for part in json.loads(text).values():
            for question, _ in part:
                yield 'oos-eval', 'text', (question,)
    for path, text in files('mlschmitt/classic-books-markdown', folder, r'\.md$'):
        for paragraph in re.split(r'\n\s*\n', text):
            if not paragraph.startswith(('#', '|', '![', '[')):
                for one in sentences(re.sub(r'[*_]', '', paragraph)):
                    yield 'classic-books', 'text', (one,)


def chinese(folder):
    for name, pattern in [('DRCKnowledgeTeam/DRCD', r'^DRCD_.*\.json$'), ('ymcui/cmrc2018', r'^squad-style-data/.*\.json$'),
                          ('deepmind/xquad', r'^xquad\.zh\.json$')]:
        for _, text in files(name, folder, pattern):
            seen = set()
            for question, passage, context in squad(json.loads(text)['data']):
                yield name, 'pair', (question, passage)
                if context not in seen:
                    seen.add(context)
                    for one in re.split(r'(?<=[。！？])', context):
                        if len(one) > 6:
                            yield name, 'text', (one.strip(),)
    for path, text in files('thu-coai/KdConv', folder, r'(test|dev|train)\.json$'):
        if not re.search(r'(film|music|travel)', path):
            continue
        for conversation in json.loads(text):
            before = None
            for turn in conversation['messages']:
                message = turn['message']
                yield 'KdConv', 'text', (message,)
                if before and re.search('[？?吗呢]', before):
                    yield 'KdConv', 'chat', (before, message)
                before = message
                for fact in turn.get('attrs', []):
                    if len(fact['attrvalue']) > 8:
                        yield 'KdConv', 'text', (f"{fact['name']} {fact['attrname']} {fact['attrvalue']}"[:160],)


def synsets(folder):
    """(interlingual number, members, definition, examples) of the English wordnet."""
    for _, text in files('globalwordnet/english-wordnet', folder, r'^src/yaml/(noun|verb|adj|adv)\..*\.yaml$'):
        for synset in re.split(r'^\S+:\n', text, flags=re.M)[1:]:
            fields = dict(re.findall(r'^  (\w+):((?:\n  - .*(?:\n    .*)*)+)', synset, re.M))
            items = lambda name: [re.sub(r'\s+', ' ', i).strip(" '\"") for i in re.split(r'\n  - ', fields.get(name, ''))[1:]]
            number = re.search(r'^  ili: (\S+)', synset, re.M)
            if items('members') and items('definition'):
                yield number and number[1], items('members'), items('definition')[0], items('example')


def senses(folder):
    """Chinese words with their synsets, and each synset's English members and definition: {word: [number]}, {number: (members,
    definition)}. The Chinese wordnets name synsets as Princeton's version 3.0 does, CILI has its numbers for them."""
    numbers = {}
    for _, text in files('globalwordnet/cili', folder, r'^ili-map-pwn30\.tab$'):
        for line in text.splitlines():
            number, synset = line.split('\t')
            numbers[synset.replace('-s', '-a')] = number
    words = defaultdict(list)
    for _, text in files('omwn/omw-data', folder, r'^wns/(cow/wn-data-cmn|wikt/wn-wikt-cmn)\.tab$'):
        for line in text.splitlines():
            synset, kind, word = (line.split('\t') + ['', ''])[:3]
            number = numbers.get(synset.replace('-s', '-a'))
            word = re.sub(r'\+?的$', '', word) if len(word) > 2 else word
            if kind.endswith('lemma') and number and number not in words[word.replace('+', '')]:
                words[word.replace('+', '')].append(number)
    return words, {number: (members, definition) for number, members, definition, _ in synsets(folder) if number}


# Of each source at most so many texts are shown to the teacher, whose time is what training costs.
MOST = {'dstc8': 25_000, 'classic-books': 60_000, 'QMSum': 40_000, 'english-wordnet': 90_000, 'MedQuAD': 25_000,
        'OpenTriviaQA': 30_000, 'oos-eval': 12_000}
LONGEST = 240


def collect(folder, out, seed=17):
    """Writes OUT/texts.LANGUAGE.txt (distinct, shuffled, for the teacher), OUT/pairs.LANGUAGE.tsv, and OUT/all.LANGUAGE.txt
    (all that was read, for counting words); prints counts."""
    out.mkdir(parents=True, exist_ok=True)
    for name, source in [('en', english), ('zh', chinese)]:
        chance = random.Random(seed)
        texts, pairs, counts = {}, [], defaultdict(int)
        for origin, kind, values in source(folder):
            counts[f'{origin}: {kind}'] += 1
            values = [re.sub(r'\s+', ' ', value).strip()[:400] for value in values]
            if kind != 'text':
                pairs.append((origin, kind, *values))
            for value in values:
                if len(value) >= (3 if name == 'zh' else 8):
                    texts[value] = origin
        (out / f'all.{name}.txt').write_text('\n'.join(texts))
        (out / f'pairs.{name}.tsv').write_text('\n'.join('\t'.join(pair) for pair in dict.fromkeys(pairs)))
        origins = defaultdict(list)
        for text, origin in texts.items():
            if origin != 'classic-books' or 40 <= len(text) <= LONGEST:
                origins[origin].append(text[:LONGEST])
        chosen = [text for origin, own in origins.items() for text in chance.sample(own, min(len(own), MOST.get(origin, len(own))))]
        chance.shuffle(chosen)
        (out / f'texts.{name}.txt').write_text('\n'.join(chosen))
        print(name, len(chosen), 'texts for the teacher', len(pairs), 'pairs', json.dumps(counts, indent=1), flush=True)


if __name__ == '__main__':
    collect(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
