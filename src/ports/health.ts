// The health of each component, for /readyz and the startup message.

export type ComponentHealth = {
  readonly name: string;
  readonly status: 'ok' | 'degraded' | 'down';
  /** One sentence for the operator; it says what to do if the component is not ok. */
  readonly detail: string;
  /** The same for the public first page, if the detail may contain text of other systems. It names sites, and nothing of them. */
  readonly summary?: string;
};

/** Checks one component. `down` means that no work can be accepted. */
export type HealthCheck = () => Promise<ComponentHealth>;
