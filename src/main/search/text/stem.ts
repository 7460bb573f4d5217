import { stemmer } from 'stemmer'

/**
 * Returns the stem of a folded word: Porter's algorithm for Latin letters, after irregular forms are mapped to their
 * base form. Other words are returned without their apostrophes.
 */
export function stem(word: string): string {
  const cached = stems.get(word)
  if (cached !== undefined) return cached
  const base = word.replace(/'(?:s|d|ll|re|ve|m|t)?$/, '')
  const stemmed = /^[a-z]+$/.test(base) ? stemmer(irregularForms.get(base) ?? base) : base.replaceAll("'", '')
  if (stems.size >= maxCached) stems.clear()
  stems.set(word, stemmed)
  return stemmed
}

/** Caches stems: notes repeat their words, and the stemmer is slower than a lookup. */
const stems = new Map<string, string>()
const maxCached = 40_000

/** Endings of English words; two words with a common beginning and two of these endings may be forms of one word. */
const endings = new Set(
  ` e s es ed d ing y ies ic ical ically al ial ally ion ions tion ation ations ition sion ment ments er ers or ors ar
  ist ists ism ity ness ful less ly able ible ive ous ious ance ence ant ent ency ancy ary ery ry ure ture ize ise ized
  izing izes ify ified ification th de des ded ding sive t ts ve ves pt ption be te ted ting tes ctive ct ction ctor ge
  age ied ier iest hood ship dom rence ring red ned ning ner n en ened ce cy ces ician ics ia ss ssion ian als`.split(
    /[ \n]+/,
  ),
)
const minCommon = 3
/** Letters of the common beginning that may belong to an ending: `decide` and `decision` end in -de and -sion. */
const maxShared = 2

/** Returns true if two folded words may be forms of one word: allergy, allergic. Only a meaning can confirm it. */
export function areDerived(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  let common = 0
  while (common < shorter && one[common] === other[common]) common += 1
  const least = Math.max(minCommon, shorter / 2)
  for (let at = common; at >= least && at >= common - maxShared; at -= 1)
    if (endings.has(one.slice(at)) && endings.has(other.slice(at))) return true
  return false
}

/**
 * English words with irregular forms: a question says "when did she go", the note says "went". Each row is the base
 * form, then its other forms. Forms that are also another word's base form (`left`, `found`, `saw`, `felt`) are
 * included, because the verb is far more common in notes.
 */
const rows = `
be was were been is are am
become became
begin began begun
bend bent
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
deal dealt
dig dug
do did done does
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
have had has
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
learn learnt
leave left
lend lent
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
sing sang sung
sink sank sunk
sit sat
sleep slept
speak spoke spoken
spend spent
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
swim swam swum
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won
write wrote written
child children
foot feet
man men
mouse mice
person people
tooth teeth
woman women
wife wives
knife knives
`

export const irregularForms: ReadonlyMap<string, string> = new Map(
  rows
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [base = '', ...forms] = row.split(' ')
      return forms.map((form) => [form, base] as const)
    }),
)
