interface FileResultNameProps {
  readonly path: string
}

export function FileResultName({ path }: FileResultNameProps) {
  const slash = path.lastIndexOf('/')
  return (
    <span title={path} className="flex flex-wrap items-baseline gap-x-2 whitespace-normal">
      <span data-testid="found-name" className="min-w-0 wrap-anywhere">
        {path.slice(slash + 1)}
      </span>
      {slash > 0 && (
        <span className="min-w-0 flex-[1_1_5rem] truncate text-[12px] text-muted">{path.slice(0, slash)}</span>
      )}
    </span>
  )
}
