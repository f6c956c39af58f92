// Whether the configured reasoner may work for a site, by `engines` in its site.yaml. A site that expects a model never gets the rules instead.
import type { AnsweringModel } from '../answering-model.ts';
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
  if (wanted === undefined || isRequired(engine, wanted) || isRequired(engine, pinOf(engine, wanted)?.model))
    return undefined;
  return `The site requires ${wanted} (engines.reasoner in site.yaml), but this engine uses ${engine}`;
}

/**
 * Why an answer may not be used: the site requires a version of the model (`openai:gpt-5.4@2026-03-05`), and another one answered. Without a
 * final full stop. Undefined if it may be used.
 */
export function answerRefusal(
  { engine, answeredBy }: { readonly engine: string; readonly answeredBy: AnsweringModel | undefined },
  { reasoner: wanted }: SiteSettings['engines'],
): string | undefined {
  const pin = pinOf(engine, wanted);
  if (pin === undefined || wanted === undefined) return undefined;
  // A vendor that was asked for this very version, and does not say what answered, is believed.
  if (answeredBy === undefined && isRequired(engine, wanted)) return undefined;
  if (answeredBy !== undefined && isVersion(answeredBy, pin)) return undefined;
  const answer =
    answeredBy === undefined ? 'the vendor does not say which version answered' : `${answeredBy.model} answered`;
  return `The site requires ${wanted} (engines.reasoner in site.yaml), but ${answer}`;
}

type Pin = { readonly model: string; readonly version: string };

/** The required model, without its vendor, and its version. Undefined for the rules, and for a name without a version. */
function pinOf(engine: string, wanted: string | undefined): Pin | undefined {
  if (wanted === undefined || isRules(engine)) return undefined;
  const vendor = engine.slice(0, engine.indexOf(':') + 1);
  const name = wanted.startsWith(vendor) ? wanted.slice(vendor.length) : wanted;
  const at = name.lastIndexOf('@');
  // The names of some models begin with the character: `@cf/meta/llama`.
  return at <= 0 || at === name.length - 1 ? undefined : { model: name.slice(0, at), version: name.slice(at + 1) };
}

function isRequired(engine: string, model: string | undefined): boolean {
  return model !== undefined && (engine === model || engine.endsWith(`:${model}`));
}

/** `2026-03-05` is the version of `gpt-5.4-2026-03-05`, never of another model that ends in the same way. */
function isVersion(answeredBy: AnsweringModel, { model, version }: Pin): boolean {
  const names = [version, ...['@', '-', ':'].map((mark) => `${model}${mark}${version}`)];
  return names.includes(answeredBy.model) || answeredBy.fingerprint === version;
}

/** Whether a model may check the notes of the site a second time. A site that allows no vendor gets the first check alone. */
export function mayVerify({ allow }: Pick<SiteSettings['engines'], 'allow'>): boolean {
  return allow.includes('vendor');
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
