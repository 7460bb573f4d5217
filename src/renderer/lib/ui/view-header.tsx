import { createContext, use, type ReactNode } from 'react'

/** Element that the frame adds at the start of each view's header: the button that opens the hidden sidebar. */
export const HeaderStart = createContext<ReactNode>(null)

export function ViewHeader({ title, aside, children }: { title: ReactNode; aside?: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex min-h-[43px] shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-5 py-1 max-sm:px-3">
      {use(HeaderStart)}
      <div className="flex min-w-0 flex-1 basis-40 items-center gap-3">
        <h1 className="min-w-0 truncate text-[14px] font-semibold">{title}</h1>
        {aside !== undefined && <span className="min-w-0 flex-1 basis-0 truncate text-muted">{aside}</span>}
      </div>
      {children}
    </header>
  )
}
