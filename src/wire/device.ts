// What /device/code, /device/token and /device/link take and answer: the names are those of RFC 8628 and RFC 6749.
import { z } from 'zod';
import { DEVICE_GRANT } from './device-grant.ts';
import { type Answer, ONCE_RULE, required } from './fields.ts';

export const deviceCodeForm = z
  .object({
    client_id: z
      .string({ error: ONCE_RULE })
      .max(200)
      .optional()
      .meta({
        description: 'The name of the program; it is not registered.',
        examples: ['chartwright-cli'],
      }),
  })
  .meta({ id: 'DeviceCodeOrder' });

export const deviceCodeResponse = z
  .object({
    device_code: z.string().meta({ description: 'What the program asks with.' }),
    user_code: z.string().meta({ description: 'What the person types at the address.' }),
    verification_uri: z.string().meta({ description: 'Where the person confirms.' }),
    expires_in: z.int().meta({ description: 'Seconds until the codes end.' }),
    interval: z.int().meta({ description: 'Seconds between two questions of the program, at least.' }),
  })
  .meta({
    id: 'DeviceCode',
    examples: [
      {
        device_code: 'EXAMPLE-NOT-A-CODE',
        user_code: 'WDJB-MJHT',
        verification_uri: 'https://charts.example.org/device',
        expires_in: 600,
        interval: 5,
      },
    ],
  });

const CODE_RULE = 'must be the code of /device/code';
export const deviceTokenForm = z
  .object({
    grant_type: z.literal(DEVICE_GRANT, { error: required(`must be ${DEVICE_GRANT}`) }),
    device_code: z
      .string({ error: required(CODE_RULE) })
      .max(200)
      .meta({ description: 'The code of /device/code.' }),
    client_id: deviceCodeForm.shape.client_id,
  })
  .meta({ id: 'DeviceTokenOrder' });

export const deviceTokenResponse = z
  .object({
    access_token: z.string().meta({ description: 'What the program sends as Authorization: Bearer.' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds until the session ends at the latest.' }),
  })
  .meta({
    id: 'DeviceToken',
    examples: [{ access_token: 'ps_2b9d4f6081a3c5e7_EXAMPLE-NOT-A-TOKEN', token_type: 'Bearer', expires_in: 43_200 }],
  });

/** RFC 8628, section 3.5, and RFC 6749, section 5.2. */
const DEVICE_ERRORS = [
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
  'invalid_grant',
  'invalid_request',
  'unsupported_grant_type',
] as const;
export type DeviceError = (typeof DEVICE_ERRORS)[number];

export const deviceErrorResponse = z.object({ error: z.enum(DEVICE_ERRORS), error_description: z.string() }).meta({
  id: 'DeviceError',
  examples: [{ error: 'authorization_pending', error_description: 'The code is not confirmed yet' }],
});

const LINK_RULE = 'must be a one-time link, or what is at its end';
export const deviceLinkBody = z
  .strictObject({
    token: z
      .string({ error: required(LINK_RULE) })
      .max(2_000, { error: LINK_RULE })
      .transform((value) => value.trim().replace(/^.*\/sign-in\/link\//, ''))
      .refine((value) => /^[\w-]{43}$/.test(value), { error: LINK_RULE })
      .meta({ description: 'A one-time link, or what is at its end.' }),
  })
  .meta({ id: 'DeviceLinkOrder' });

export type DeviceCodeAnswer = Answer<typeof deviceCodeResponse>;
export type DeviceTokenAnswer = Answer<typeof deviceTokenResponse>;
export type DeviceErrorAnswer = Answer<typeof deviceErrorResponse>;
