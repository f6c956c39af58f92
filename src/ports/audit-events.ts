// AuditEvents that wait until the EHR of their site has taken them. They hold references and ids, never a name or text of a chart.

export type WaitingAuditEvent = {
  readonly id: string;
  readonly site: string;
  /** The resource as JSON. */
  readonly body: string;
  readonly createdAt: Date;
  readonly tries: number;
};

/** Throws `overloaded` if the database cannot be reached. */
export type AuditEvents = {
  readonly add: (event: Pick<WaitingAuditEvent, 'id' | 'site' | 'body'>) => Promise<void>;
  /** Claims those that are due, for this time; another engine does not get them meanwhile. */
  readonly claim: (limit: number, leaseMs: number) => Promise<readonly WaitingAuditEvent[]>;
  readonly sent: (id: string) => Promise<void>;
  /** Without `retryAt` it is given up. */
  readonly failed: (id: string, retryAt?: Date) => Promise<void>;
  /** Deletes those that were sent or given up so long ago. */
  readonly sweep: (keepMs: number) => Promise<void>;
};
