// The permanent name of a session's document: made from its place, never from time, chance or the model's words. The same session has
// the same names after a restart, in another process and after an upgrade.
import { createHash } from 'node:crypto';
import type { RunFacts } from './run-facts.ts';

export type Identity = { readonly system: string; readonly value: string };

/** A token for a FHIR search: characters with a meaning in a list of values are escaped. */
export function tokenOf({ system, value }: Identity): string {
  return [system, value].map((part) => part.replace(/[\\,|$]/g, '\\$&')).join('|');
}

/** The system of the engine's own identifiers: `urn:chartwright:mercy`. */
export function identifierSystem(site: string): string {
  return `urn:chartwright:${site}`;
}

type DocumentPlace = {
  readonly site: string;
  readonly encounter: string;
  readonly session: string;
  readonly document: string;
  /** Distinguishes several resources of one document: a disease's code. */
  readonly part?: string | undefined;
};

/** `<encounter>/<session>/<document>`, followed by `part` if there is one. */
export function documentIdentity({ site, encounter, session, document, part }: DocumentPlace): Identity {
  const value = [encounter, session, document, ...(part === undefined ? [] : [part])].join('/');
  return { system: identifierSystem(site), value };
}

/**
 * One Device for each engine, model and models that answered under its name, once per site. Fingerprints change too often to be part of it.
 */
export function deviceIdentity({ site, run }: { readonly site: string; readonly run: RunFacts }): Identity {
  const asked = [run.model.name, run.model.version].filter((part) => part !== undefined).join('@');
  const others = (run.answeredBy ?? []).map(({ model }) => model).filter((name) => name !== run.model.name);
  const model = [asked, ...new Set(others)].join(';');
  return { system: identifierSystem(site), value: `device/${run.engine.name}@${run.engine.version}/${model}` };
}

/** The part of a disease without a code: its name is the model's word, and may be another one next time. */
const UNCODED = 'uncoded';

/** The code of each disease, or `uncoded`; if two have the same one, the later gets a number. */
export function diseaseParts(diseases: readonly { readonly icd10_code?: string }[]): readonly string[] {
  const seen = new Map<string, number>();
  return diseases.map(({ icd10_code }) => {
    const code = icd10_code || UNCODED;
    const count = (seen.get(code) ?? 0) + 1;
    seen.set(code, count);
    return count === 1 ? code : `${code}#${count}`;
  });
}

/** A UUID of version 5 (RFC 9562): documents refer to each other by it until the EHR has assigned ids. */
export function documentUrn({ system, value }: Identity): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(`${system}|${value}`, 'utf8').digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${groups.join('-')}`;
}

// Chosen once: another value would change the name of every document.
const NAMESPACE = Buffer.from('6f1d7c2e9a3b4d5f8e0a1b2c3d4e5f60', 'hex');
