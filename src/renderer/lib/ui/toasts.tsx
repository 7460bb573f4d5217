import { useTranslation } from 'react-i18next'
import { Toaster } from 'sonner'

/** Nothing that one needs lies there: toasts cover no tools of a view, not the field of a chat, and not the status bar. */
const aboveStatusBar = { top: 56, bottom: 'calc(40px + var(--composer, 0px))', right: 16 }

interface ToastsProps {
  readonly theme: 'light' | 'dark'
  readonly position: 'top-right' | 'bottom-right'
}

export function Toasts({ theme, position }: ToastsProps) {
  const { t } = useTranslation()
  return (
    <div ref={returnFocus}>
      <Toaster
        theme={theme}
        customAriaLabel={t('common.notifications')}
        toastOptions={{ closeButtonAriaLabel: t('common.close') }}
        position={position}
        offset={aboveStatusBar}
        mobileOffset={aboveStatusBar}
      />
    </div>
  )
}

/**
 * When a toast goes that has the focus, the focus returns to where it came from. Sonner's own way is kept from hearing of
 * it: it would also take those back who leave a toast by themselves, which is a trap for the Tab key.
 */
function returnFocus(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined
  const isWithin = (target: EventTarget | null) => target instanceof Node && element.contains(target)
  let cameFrom: HTMLElement | undefined
  const onFocusIn = (event: FocusEvent) => {
    event.stopPropagation()
    const { relatedTarget } = event
    if (!isWithin(relatedTarget)) cameFrom = relatedTarget instanceof HTMLElement ? relatedTarget : undefined
  }
  const onFocusOut = ({ target, relatedTarget }: FocusEvent) => {
    // Not those whose toast was just taken away.
    queueMicrotask(() => {
      if (isWithin(target) && !isWithin(relatedTarget)) cameFrom = undefined
    })
  }
  const removals = new MutationObserver(() => {
    if (document.activeElement !== document.body) return
    cameFrom?.focus({ preventScroll: true })
    cameFrom = undefined
  })
  element.addEventListener('focusin', onFocusIn)
  element.addEventListener('focusout', onFocusOut)
  removals.observe(element, { childList: true, subtree: true })
  return () => {
    element.removeEventListener('focusin', onFocusIn)
    element.removeEventListener('focusout', onFocusOut)
    removals.disconnect()
  }
}
