// The requests of CDS Hooks 2.0, as far as the services read them. Members that are not read are allowed: EHRs send more than the standard names.
import { z } from 'zod';
import { CDS_OUTCOMES } from '../../../domain/cds/cds-services.ts';

const fhirId = z.string().regex(/^[A-Za-z0-9\-.]{1,64}$/, 'is the id of a FHIR resource, without its type');
const uuid = z.string().regex(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'is a UUID');
const userId = z
  .string()
  .regex(
    /^(?:Practitioner|PractitionerRole|Patient|RelatedPerson)\/[A-Za-z0-9\-.]{1,64}$/,
    'is Practitioner/… or another user of the EHR',
  );

const common = {
  hookInstance: uuid,
  fhirServer: z
    .url({ protocol: /^https?$/, error: 'is the address of a FHIR server' })
    .max(2_000)
    .optional(),
  prefetch: z.record(z.string(), z.unknown()).optional(),
};

export const patientViewCall = z.object({
  ...common,
  hook: z.literal('patient-view', 'is patient-view'),
  context: z.object({ userId, patientId: fhirId, encounterId: fhirId.optional() }),
});

export const encounterDischargeCall = z.object({
  ...common,
  hook: z.literal('encounter-discharge', 'is encounter-discharge'),
  context: z.object({ userId, patientId: fhirId, encounterId: fhirId }),
});

const MOST_FEEDBACK = 100;

export const feedbackCall = z.object({
  feedback: z
    .array(
      z.object({
        card: uuid,
        outcome: z.enum(CDS_OUTCOMES, 'is accepted or overridden'),
        outcomeTimestamp: z.iso.datetime({ offset: true, error: 'is a time, as in 2026-11-28T10:00:00Z' }),
        overrideReason: z
          .object({
            reason: z.object({ code: z.string().max(200), system: z.string().max(2_000).optional() }).optional(),
          })
          .optional(),
      }),
    )
    .max(MOST_FEEDBACK, `has at most ${MOST_FEEDBACK} entries`),
});
