export function Highlight({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return text
  const pattern = new RegExp(
    `(${[...words]
      .sort((a, b) => b.length - a.length)
      .map((word) => RegExp.escape(word))
      .join('|')})`,
    'giu',
  )
  return text.split(pattern).map((part, index) =>
    index % 2 === 1 ? (
      <mark key={index} className="rounded-[3px] bg-found px-0.5 text-text">
        {part}
      </mark>
    ) : (
      part
    ),
  )
}
