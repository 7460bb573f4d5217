import { Menu } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'

export function ActionMenu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Menu.Root>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-50">
          <Menu.Popup className="min-w-48 rounded-md border border-line bg-raised p-1 text-[13px] shadow-float">
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

export function ActionItem({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Menu.Item onClick={onClick} className="flex min-h-7 items-center rounded-sm px-2 data-[highlighted]:bg-soft">
      {children}
    </Menu.Item>
  )
}

export function ActionSeparator() {
  return <Menu.Separator className="my-1 border-t border-line" />
}
