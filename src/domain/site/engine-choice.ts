// Whether the configured reasoner may work for a site, by `engines` in its site.yaml. A site that expects a model never gets the rules instead.
import type { SiteSettings } from './site.ts';

const RULES = 'builtin:';

const REMEDIES = {
  vendor: 'Set OPENAI_API_KEY or OPENAI_BASE_URL; for a trial without a model set engines: { allow: [builtin] }',
  builtin: 'Start the engine without OPENAI_API_KEY and OPENAI_BASE_URL, or set engines: { allow: [vendor] }',
} as const;

/** Why the runs of the site wait and what to do, without a final full stop. Undefined if the reasoner may work for it. */
export function engineRefusal(
  engine: string,
  { allow, reasoner: wanted }: SiteSettings['engines'],
): string | undefined {
  const [kind, other] = isRules(engine) ? (['builtin', 'vendor'] as const) : (['vendor', 'builtin'] as const);
  if (!allow.includes(kind)) {
    return `The site does not allow ${engine} (engines.allow in site.yaml). ${REMEDIES[other]}`;
  }
  if (wanted === undefined || wanted === engine || engine.endsWith(`:${wanted}`)) return undefined;
  return `The site requires ${wanted} (engines.reasoner in site.yaml), but this engine uses ${engine}`;
}

/** Like `engineRefusal`; undefined for a site that is off. */
export function whyRunsWait(
  engine: string,
  { mode, engines }: Pick<SiteSettings, 'mode' | 'engines'>,
): string | undefined {
  return mode === 'off' ? undefined : engineRefusal(engine, engines);
}

/** Whether the reasoner is the built-in rules and not a model. */
export function isRules(engine: string): boolean {
  return engine.startsWith(RULES);
}
