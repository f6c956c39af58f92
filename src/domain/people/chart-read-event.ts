// The AuditEvent for an EHR about a read of its patient's data, in the shape of IHE BALP (PatientRead, PatientUpdate). It holds references,
// ids and codes, and neither names of people nor text.
import type { AuditEvent, AuditEventAgent, AuditEventEntity, Coding, Reference } from '@medplum/fhirtypes';
import { identifierSystem } from '../chart/identity.ts';
import { present } from '../present.ts';

export type ChartRead = {
  readonly site: string;
  /** `decision`: about a draft, which changes it. */
  readonly kind: 'read' | 'decision';
  readonly at: Date;
  /** As in the audit trail: `person/<id>`. */
  readonly actor: string;
  /** Who the reader is in the EHR of the site: `Practitioner/7`. */
  readonly practitioner?: string;
  readonly purpose?: string;
  /** The network address of the reader. */
  readonly address?: string;
  readonly patient: string;
  readonly encounter?: string;
  readonly run?: string;
};

const DCM = 'http://dicom.nema.org/resources/ontology/DCM';
const OBJECT_TYPE = 'http://terminology.hl7.org/CodeSystem/audit-entity-type';
const OBJECT_ROLE = 'http://terminology.hl7.org/CodeSystem/object-role';
const ENGINE = { display: 'Chartwright' } as const;

/** `engineUrl`: where the engine is reached. */
export function auditEventOf(read: ChartRead, engineUrl: string): AuditEvent {
  const isRead = read.kind === 'read';
  const engine = { who: ENGINE, network: { address: engineUrl, type: '5' } } as const;
  const client = {
    who: { display: 'the client of the reader' },
    ...(read.address !== undefined && { network: { address: read.address, type: '2' } as const }),
  };
  // The data goes from the engine to the reader, a decision the other way.
  const [source, destination] = isRead ? [engine, client] : [client, engine];
  return {
    resourceType: 'AuditEvent',
    type: {
      system: 'http://terminology.hl7.org/CodeSystem/audit-event-type',
      code: 'rest',
      display: 'RESTful Operation',
    },
    subtype: [{ system: 'http://hl7.org/fhir/restful-interaction', code: isRead ? 'read' : 'update' }],
    action: isRead ? 'R' : 'U',
    recorded: read.at.toISOString(),
    outcome: '0',
    agent: [
      { type: { coding: [dicom('110153', 'Source Role ID')] }, requestor: false, ...source },
      { type: { coding: [dicom('110152', 'Destination Role ID')] }, requestor: false, ...destination },
      readerOf(read),
    ],
    source: { observer: ENGINE },
    entity: entitiesOf(read),
  };
}

function dicom(code: string, display: string): Coding {
  return { system: DCM, code, display };
}

function readerOf({ site, actor, practitioner, purpose }: ChartRead): AuditEventAgent {
  const recipient = { system: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType', code: 'IRCP' };
  const reason = { system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason', code: purpose };
  return {
    type: { coding: [recipient] },
    who: { ...present({ reference: practitioner }), identifier: { system: identifierSystem(site), value: actor } },
    requestor: true,
    ...(purpose !== undefined && { purposeOfUse: [{ coding: [present(reason)] }] }),
  };
}

function entitiesOf({ site, patient, encounter, run }: ChartRead): AuditEventEntity[] {
  const objects: Reference[] = [];
  if (encounter !== undefined) objects.push({ reference: encounter });
  if (run !== undefined) objects.push({ identifier: { system: identifierSystem(site), value: `run/${run}` } });
  return [
    {
      what: { reference: patient },
      type: { system: OBJECT_TYPE, code: '1', display: 'Person' },
      role: { system: OBJECT_ROLE, code: '1', display: 'Patient' },
    },
    ...objects.map((what) => ({
      what,
      type: { system: OBJECT_TYPE, code: '2', display: 'System Object' },
      role: { system: OBJECT_ROLE, code: '4', display: 'Domain Resource' },
    })),
  ];
}
