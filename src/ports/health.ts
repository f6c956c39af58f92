// How each part is, for /readyz and the start-up message.

export type ComponentHealth = {
  readonly name: string;
  readonly status: 'ok' | 'degraded' | 'down';
  /** One sentence for a person; says what to do where it is not ok. */
  readonly detail: string;
};

/** A part that can say how it is. `down` means that no work can be accepted. */
export type HealthCheck = () => Promise<ComponentHealth>;
