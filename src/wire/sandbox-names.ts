// The names by which the sandbox is known outside. A file without schemas, so that the command line starts without them.

/** The site whose EHR and patients the sandbox plays. */
export const SANDBOX_SITE = 'sandbox';

/** What the audit trail says was done with it. */
export const SANDBOX_ACTIONS = [
  'sandbox.finish',
  'sandbox.cancel',
  'sandbox.merge',
  'sandbox.move',
  'sandbox.recording',
  'sandbox.visit',
  'sandbox.open',
  'sandbox.view',
  'sandbox.reset',
  'sandbox.drill',
] as const;
export type SandboxAction = (typeof SANDBOX_ACTIONS)[number];
