import { useTranslation } from 'react-i18next'
import { Toaster } from 'sonner'

/** Offsets that keep toasts clear of a view's header, the composer and the status bar, px. */
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
 * Returns the focus to the element that had it before when a focused toast disappears. Stops the focus events
 * from reaching Sonner, which would also move the focus of users who tab out of a toast and so trap the Tab
 * key.
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
    // Not when the focus left because the toast was just removed.
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
