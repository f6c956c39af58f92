// The practitioners and the visits of the hospital, as its authorize page offers them.
import type { Encounter, HumanName, Practitioner } from '@medplum/fhirtypes';
import type { SandboxStore } from '../fhir/sandbox-store.ts';
import type { Choice } from './authorize-page.ts';

export type HospitalPeople = {
  /** Those who work here. */
  readonly practitioners: () => readonly Choice[];
  readonly visits: () => readonly Choice[];
  readonly visit: (id: string) => { readonly encounter: string; readonly patient: string } | undefined;
  readonly nameOf: (practitioner: string) => string;
};

export function makeHospitalPeople({ get, all }: Pick<SandboxStore, 'get' | 'all'>): HospitalPeople {
  return {
    practitioners: () =>
      all('Practitioner')
        .filter(({ active }) => active !== false)
        .map(practitionerChoice),
    visits: () => all('Encounter').map(visitChoice),
    visit(id) {
      const found = get(`Encounter/${id}`) as Encounter | undefined;
      const patient = /^Patient\/(.+)$/.exec(found?.subject?.reference ?? '')?.[1];
      return patient === undefined ? undefined : { encounter: id, patient };
    },
    nameOf: (id) => nameText((get(`Practitioner/${id}`) as Practitioner | undefined)?.name) || id,
  };
}

function practitionerChoice({ id = '', name, qualification }: Practitioner): Choice {
  const role = qualification?.[0]?.code.text;
  return { id, label: [nameText(name) || id, role].filter((part) => part !== undefined).join(', ') };
}

function visitChoice({ id = '', status, subject }: Encounter): Choice {
  return { id, label: [id, subject?.display, status].filter((part) => part !== undefined).join(' · ') };
}

function nameText(names: readonly HumanName[] | undefined): string {
  const { given = [], family = '', text } = names?.[0] ?? {};
  return text ?? [...given, family].join(' ').trim();
}
