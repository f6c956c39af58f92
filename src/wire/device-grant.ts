// The name of the grant by which a device signs in (RFC 8628), for the door and for the command line, which loads no schemas.
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
