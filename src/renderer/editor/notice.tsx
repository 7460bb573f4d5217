export function Notice({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-found px-5 py-2 max-sm:px-3"
    >
      <span className="min-w-40 flex-1">{text}</span>
      {children}
    </div>
  )
}
