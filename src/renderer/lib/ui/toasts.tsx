import { t } from 'i18next'
import { Toaster } from 'sonner'

/** Offsets that keep toasts clear of a view's header, the composer and the status bar, px. */
const toastOffset = { top: 56, bottom: 'calc(40px + var(--composer, 0px))', right: 16 }

export function Toasts({ theme, position }: { theme: 'light' | 'dark'; position: 'top-right' | 'bottom-right' }) {
  return (
    <div ref={restoreFocus}>
      <Toaster
        theme={theme}
        customAriaLabel={t('common.notifications')}
        toastOptions={{ closeButtonAriaLabel: t('common.close') }}
        position={position}
        offset={toastOffset}
        mobileOffset={toastOffset}
      />
    </div>
  )
}

/**
 * Returns the focus to the element that had it before when a focused toast disappears. Stops the focus events
 * from reaching Sonner, which would also move the focus of users who tab out of a toast and so trap the Tab
 * key.
 */
function restoreFocus(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined
  const isWithin = (target: EventTarget | null) => target instanceof Node && element.contains(target)
  let previousFocus: HTMLElement | undefined
  const onFocusIn = (event: FocusEvent) => {
    event.stopPropagation()
    const { relatedTarget } = event
    if (!isWithin(relatedTarget)) previousFocus = relatedTarget instanceof HTMLElement ? relatedTarget : undefined
  }
  const onFocusOut = ({ target, relatedTarget }: FocusEvent) => {
    // In a microtask: a toast that was just removed is outside `element` by then and keeps `previousFocus`.
    queueMicrotask(() => {
      if (isWithin(target) && !isWithin(relatedTarget)) previousFocus = undefined
    })
  }
  const removalObserver = new MutationObserver(() => {
    if (document.activeElement !== document.body) return
    previousFocus?.focus({ preventScroll: true })
    previousFocus = undefined
  })
  element.addEventListener('focusin', onFocusIn)
  element.addEventListener('focusout', onFocusOut)
  removalObserver.observe(element, { childList: true, subtree: true })
  return () => {
    element.removeEventListener('focusin', onFocusIn)
    element.removeEventListener('focusout', onFocusOut)
    removalObserver.disconnect()
  }
}
