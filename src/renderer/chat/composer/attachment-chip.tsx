import { FileText, X } from 'lucide-react'
import { t } from 'i18next'

interface AttachmentChipProps {
  readonly name: string
  /** URL of a thumbnail; undefined for a file. */
  readonly picture?: string | undefined
  readonly onRemove?: (() => void) | undefined
}

export function AttachmentChip({ name, picture, onRemove }: AttachmentChipProps) {
  return (
    <span className="inline-flex h-8 max-w-56 items-center gap-2 rounded-sm border border-line bg-raised pr-1.5 pl-1.5 text-[12px]">
      {picture ? (
        <img src={picture} alt={name} className="size-6 rounded-[4px] object-cover" />
      ) : (
        <FileText size={14} aria-hidden className="text-muted" />
      )}
      <span className="truncate">{name}</span>
      {onRemove && (
        <button
          type="button"
          aria-label={t('chat.removeAttachment', { name })}
          onClick={onRemove}
          className="flex size-6 items-center justify-center rounded-sm text-muted hover:bg-soft hover:text-text"
        >
          <X size={12} />
        </button>
      )}
    </span>
  )
}
