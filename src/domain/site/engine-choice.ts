// May who reasons here work for a site: `engines` in its site.yaml says so. No site gets from rules what it expects of a model.
import type { SiteSettings } from './site.ts';

const RULES = 'builtin:';

const HOW_TO_HAVE = {
  vendor: 'Set OPENAI_API_KEY or OPENAI_BASE_URL, or to try things out engines: { allow: [builtin] }',
  builtin: 'Start without OPENAI_API_KEY and OPENAI_BASE_URL, or allow it by engines: { allow: [vendor] }',
} as const;

/** What keeps the runs of such a site waiting, and what to do, without a full stop. Undefined: nothing does. */
export function engineRefusal(
  engine: string,
  { allow, reasoner: wanted }: SiteSettings['engines'],
): string | undefined {
  const [kind, other] = isRules(engine) ? (['builtin', 'vendor'] as const) : (['vendor', 'builtin'] as const);
  if (!allow.includes(kind)) {
    return `The site does not let ${engine} work for it (engines.allow in site.yaml). ${HOW_TO_HAVE[other]}`;
  }
  if (wanted === undefined || wanted === engine || engine.endsWith(`:${wanted}`)) return undefined;
  return `The site waits for ${wanted} (engines.reasoner in site.yaml); here it is ${engine}`;
}

/** The same of a site that does anything at all. */
export function whyRunsWait(
  engine: string,
  { mode, engines }: Pick<SiteSettings, 'mode' | 'engines'>,
): string | undefined {
  return mode === 'off' ? undefined : engineRefusal(engine, engines);
}

/** The rules that come with the engine, and no model. */
export function isRules(engine: string): boolean {
  return engine.startsWith(RULES);
}
