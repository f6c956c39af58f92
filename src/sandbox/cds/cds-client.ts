// The hospital as a client of CDS Hooks: it asks the engine over HTTP, with a JWT of its own, which cards there are for a chart that is opened.
import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { isObject, type Json } from '../fhir/resource-values.ts';

export type EngineAddresses = {
  /** At which a browser reaches the engine, and for which a JWT is. */
  readonly publicUrl: string;
  /** At which this process reaches it. */
  readonly localUrl: string;
};

export type CdsCall = {
  readonly hook: string;
  /** `Practitioner/sbx-p-01` */
  readonly userId: string;
  /** Ids without a type. */
  readonly patientId: string;
  readonly encounterId: string;
};

/** As an EHR reads it. */
export type ReceivedCard = {
  readonly summary: string;
  readonly indicator: string;
  readonly detail?: string;
  /** Of the first link that launches an app. */
  readonly link?: { readonly label: string; readonly url: string; readonly appContext?: string };
};

/** Throws `conflict` if the engine answers with anything but cards. */
export type AskForCards = (call: CdsCall) => Promise<readonly ReceivedCard[]>;

export type CdsClientParts = {
  readonly engine: EngineAddresses;
  /** Signs the JWT of a call to this address. */
  readonly sign: (claims: Readonly<Record<string, unknown>>) => string;
  /** The FHIR address of the hospital, which is also its issuer. */
  readonly baseUrl: string;
  readonly now: () => Date;
};

const TIMEOUT_MS = 10_000;
const LIFE_SECONDS = 60;

export function makeCdsClient({ engine, sign, baseUrl, now }: CdsClientParts): AskForCards {
  async function request(path: string, body?: object): Promise<Json> {
    const iat = Math.floor(now().getTime() / 1000);
    const aud = `${withoutEnd(engine.publicUrl)}${path}`;
    const token = sign({ iss: baseUrl, aud, iat, exp: iat + LIFE_SECONDS, jti: randomUUID() });
    const response = await fetch(`${withoutEnd(engine.localUrl)}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer: unknown = await response.json();
    if (response.status === 200 && isObject(answer)) return answer;
    const why = isObject(answer) ? String(answer['message']) : 'no reason given';
    throw new AppError('conflict', `The engine gave the hospital no cards (${response.status}): ${why}`);
  }
  return async ({ hook, ...context }) => {
    const { services } = await request('/cds-services');
    const fitting = listed(services).filter((service) => service['hook'] === hook);
    const cards: ReceivedCard[] = [];
    for (const { id } of fitting) {
      const call = { hook, hookInstance: randomUUID(), fhirServer: baseUrl, context };
      const answer = await request(`/cds-services/${encodeURIComponent(String(id))}`, call);
      cards.push(...listed(answer['cards']).map(received));
    }
    return cards;
  };
}

function received(card: Json): ReceivedCard {
  const link = listed(card['links']).find(({ type }) => type === 'smart');
  const appContext = link?.['appContext'];
  return {
    summary: String(card['summary']),
    indicator: String(card['indicator']),
    ...(typeof card['detail'] === 'string' && { detail: card['detail'] }),
    ...(link !== undefined && {
      link: {
        label: String(link['label']),
        url: String(link['url']),
        ...(typeof appContext === 'string' && { appContext }),
      },
    }),
  };
}

function listed(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function withoutEnd(address: string): string {
  return address.replace(/\/+$/, '');
}
