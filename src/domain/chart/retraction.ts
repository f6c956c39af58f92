// The Provenance of a retraction: which documents, when, by which author, and why.
import type { Provenance } from '@medplum/fhirtypes';
import { cleanText } from '../clean-text.ts';
import type { WritePlace } from './chart-write.ts';
import { documentIdentity, documentUrn, type Identity } from './identity.ts';
import { AI_LABEL } from './stamp.ts';

export const RETRACTION_DOCUMENT = 'retraction';

type RetractionParts = {
  readonly place: WritePlace;
  /** `Condition/12` … */
  readonly targets: readonly string[];
  /** The instant of the decision. */
  readonly time: string;
  readonly reason: string;
  /** `Device/3`: their author; absent if the EHR has no Devices. */
  readonly device?: string | undefined;
};

export type RetractionRecord = { readonly identity: Identity; readonly fullUrl: string; readonly resource: Provenance };

export function retractionRecord({ place, targets, time, reason, device }: RetractionParts): RetractionRecord {
  const identity = documentIdentity({ ...place, document: RETRACTION_DOCUMENT });
  const resource: Provenance = {
    resourceType: 'Provenance',
    meta: { security: [{ ...AI_LABEL }], tag: [{ system: identity.system, code: identity.value }] },
    target: targets.map((reference) => ({ reference })),
    recorded: time,
    reason: [{ text: cleanText(reason) }],
    activity: {
      coding: [
        {
          system: 'http://terminology.hl7.org/CodeSystem/v3-DataOperation',
          code: 'NULLIFY',
          display: 'nullify',
        },
      ],
    },
    agent: [
      {
        type: {
          coding: [
            {
              system: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type',
              code: 'author',
              display: 'Author',
            },
          ],
        },
        who: device === undefined ? { display: 'Chartwright' } : { reference: device },
      },
    ],
  };
  return { identity, fullUrl: documentUrn(identity), resource };
}
