// How the EHR of a site shows cards about waiting drafts: CDS Hooks, from `cds:` of its site.yaml.

export type CdsSettings = {
  /** `iss` of the JWTs with which the EHR calls. */
  readonly issuer: string;
  /** Where the EHR publishes its keys. No address that a JWT names is ever fetched. */
  readonly jwksUri: string;
  /** The address of /cds-services as the EHR calls it, if it is not that of PUBLIC_URL. */
  readonly audience?: string;
};
