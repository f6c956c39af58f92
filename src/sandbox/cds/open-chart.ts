// A practitioner of the hospital opens a chart: its EHR asks for cards, and makes the address that launches the engine from there.
import { SANDBOX_SITE } from '../../wire/sandbox-names.ts';
import type { Sandbox, SandboxVisit } from '../sandbox-model.ts';
import { type EngineAddresses, makeCdsClient, type ReceivedCard } from './cds-client.ts';

export type OpenedChart = {
  readonly visit: SandboxVisit;
  /** Who has opened it. */
  readonly practitioner: string;
  readonly cards: readonly ReceivedCard[];
  /** Opens the review in a browser: once, and within ten minutes. */
  readonly launchUrl: string;
};

/** Throws `notFound` for a practitioner who does not work there; `conflict` if the engine refuses the hospital. */
export type OpenChart = (
  sandbox: Pick<Sandbox, 'find' | 'practitionerAt' | 'launch' | 'signCall' | 'baseUrl'>,
  order: { readonly visit: string; readonly practitioner?: string },
) => Promise<OpenedChart>;

export function makeOpenChart(parts: { readonly engine: EngineAddresses; readonly now: () => Date }): OpenChart {
  const home = `${parts.engine.publicUrl.replace(/\/+$/, '')}/launch/${SANDBOX_SITE}`;
  return async (sandbox, { visit: name, practitioner: wanted }) => {
    const visit = sandbox.find(name);
    const practitioner = sandbox.practitionerAt(name, wanted);
    const { baseUrl, signCall: sign } = sandbox;
    const askForCards = makeCdsClient({ ...parts, sign, baseUrl });
    const [patientId, encounterId] = [idOf(visit.patient), idOf(visit.encounter)];
    const cards = await askForCards({ hook: 'patient-view', userId: practitioner, patientId, encounterId });
    const link = cards.find((card) => card.link?.appContext === visit.encounter)?.link;
    const context = link?.appContext === undefined ? {} : { appContext: link.appContext };
    const launch = sandbox.launch(name, { practitioner, ...context });
    const address = new URL(link?.url ?? home);
    address.searchParams.set('iss', baseUrl);
    address.searchParams.set('launch', launch);
    return { visit, practitioner, cards, launchUrl: address.href };
  };
}

function idOf(reference: string): string {
  return reference.slice(reference.indexOf('/') + 1);
}
