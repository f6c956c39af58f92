// How an identity provider or an EHR may sign what it says of people. None is with a shared secret, which would prove nothing about who signed.
export const SIGNATURE_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];
