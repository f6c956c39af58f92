// Whether resources are fit to leave: asked before anything is written.

export type ResourceProblem = {
  /** Position among those that were asked about. */
  readonly resource: number;
  /** `Condition.code` */
  readonly element: string;
  /** Without any of the resource's values. */
  readonly message: string;
  readonly severity: 'error' | 'warning';
};

/** `fullUrls`: what the others of the set call them. Throws an AppError where nobody could find out. */
export type CheckResources = (
  resources: readonly unknown[],
  signal: AbortSignal,
  options?: { readonly fullUrls?: readonly (string | undefined)[]; readonly isPart?: boolean },
) => Promise<readonly ResourceProblem[]>;
