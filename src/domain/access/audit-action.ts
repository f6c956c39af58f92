// The actions of the product in the audit trail. An extension has actions of its own, which are texts of the same form.
export const AUDIT_ACTIONS = [
  'run.write',
  'run.retract',
  'run.start',
  'run.replay',
  'run.cancel',
  'run.review',
  'run.view',
  'run.recall',
  'site.pause',
  'site.resume',
  'site.probe',
  'site.settings',
  'key.create',
  'key.rotate',
  'key.revoke',
  'plan.change',
  'codes.import',
  'reviewer.create',
  'reviewer.revoke',
  'key.refused',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
