import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { ErasureMatches, ErasurePlace } from '#shared/contract/index.ts'
import { forgetKinds } from '#shared/util/forget-kinds.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import type { ForgetState } from './use-forget.ts'

const maxListed = 40

export function ForgetPlaces({ state, matches }: { state: ForgetState; matches: ErasureMatches }) {
  const { t } = useTranslation()
  const { places, near } = matches
  return (
    <>
      {forgetKinds.map((kind) => {
        const kindPlaces = places.filter((place) => place.kind === kind)
        if (kindPlaces.length === 0) return null
        return (
          <section key={kind} aria-label={t(`forget.kind.${kind}`)} className="flex flex-col gap-1.5">
            <h2 className="flex items-baseline gap-2 font-semibold">
              {t(`forget.kind.${kind}`)}
              <span className="font-normal text-muted">{t('forget.places', { count: kindPlaces.length })}</span>
            </h2>
            {(kind === 'other' || kind === 'state' || kind === 'index') && (
              <p className="text-[12px] text-muted">{t(`forget.about.${kind}`)}</p>
            )}
            {kind !== 'index' && (
              <ul className="flex flex-col gap-2">
                {kindPlaces.slice(0, maxListed).map((place) => (
                  <Place key={place.path} state={state} place={place} />
                ))}
                {kindPlaces.length > maxListed && (
                  <li className="text-muted">{t('forget.more', { count: kindPlaces.length - maxListed })}</li>
                )}
              </ul>
            )}
          </section>
        )
      })}
      {near.length > 0 && (
        <section aria-label={t('forget.near')} className="flex flex-col gap-1.5">
          <h2 className="font-semibold">{t('forget.near')}</h2>
          <p className="text-[12px] text-muted">{t('forget.nearHint')}</p>
          <ul className="flex flex-col gap-1.5">
            {near.map(({ path, line, text }) => (
              <li key={text}>
                <label className="flex items-baseline gap-2">
                  <input
                    type="checkbox"
                    checked={state.lines.has(text)}
                    onChange={() => state.toggleLine(text)}
                    className="size-4 shrink-0 translate-y-0.5 accent-accent"
                  />
                  <span className="min-w-0 break-words">{clipLine(text, 300)}</span>
                </label>
                <Link href={paths.file(path, line)} className="ml-6 font-mono text-[12px] text-accent hover:underline">
                  {path}:{line}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function Place({ state, place }: { state: ForgetState; place: ErasurePlace }) {
  const { t } = useTranslation()
  const { kind, path, count, lines, isNamed, keepsPrivate } = place
  const unit = kind === 'history' ? 'versions' : 'lines'
  return (
    <li className="min-w-0 border-l-2 border-line pl-3">
      <span className="flex flex-wrap items-baseline gap-x-2">
        {kind === 'note' ? (
          <>
            <label className="flex min-w-0 items-baseline gap-2">
              <input
                type="checkbox"
                aria-label={t('forget.include', { path })}
                checked={!state.keptPaths.has(path)}
                onChange={() => state.toggleKeep(path)}
                className="size-4 shrink-0 translate-y-0.5 accent-accent"
              />
            </label>
            <Link
              href={paths.file(path, lines[0]?.line)}
              className="min-w-0 font-mono text-[12px] break-all hover:underline"
            >
              {path}
            </Link>
          </>
        ) : (
          <span className="min-w-0 font-mono text-[12px] break-all">{path}</span>
        )}
        <span className="text-[12px] text-muted">
          {isNamed === true ? t('forget.named') : t(`forget.${unit}`, { count })}
        </span>
        {keepsPrivate === true && <span className="text-[12px] text-muted">{t('forget.keepsPrivate')}</span>}
      </span>
      {lines.slice(0, 3).map(({ line, text }, index) => (
        <span key={index} className="block text-[12px] break-words text-muted">
          {line === undefined ? '' : `${line}: `}
          {clipLine(text, 200)}
        </span>
      ))}
    </li>
  )
}
