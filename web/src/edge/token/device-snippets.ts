import type { Snippet } from '../../shared/secret-once';

/** How the agent starts on a device. @param token the device's, or a word in its place */
export const agentLines = (origin: string, token = '<token of the device>'): string =>
  [
    "pip install './clients/device-agent[onnx]'",
    `export VISIONOPS_URL='${origin}'`,
    `export VISIONOPS_DEVICE_TOKEN='${token}'`,
    'visionops-device',
  ].join('\n');

/**
 * How a device uses its token, to be copied. The token stands in the lines: they are made for the one moment in which it is shown.
 * @param origin scheme, host and port of the platform
 * @param labels of the ways, and where the folder of the agent is
 */
export function deviceSnippets(
  token: string,
  origin: string,
  labels: Readonly<Record<'agent' | 'agentFrom' | 'variables' | 'curl', string>>,
): Snippet[] {
  return [
    {
      id: 'agent',
      label: labels.agent,
      lines: agentLines(origin, token),
      note: labels.agentFrom,
    },
    {
      id: 'variables',
      label: labels.variables,
      lines: `VISIONOPS_URL=${origin}\nVISIONOPS_DEVICE_TOKEN=${token}`,
    },
    {
      id: 'curl',
      label: labels.curl,
      lines: [
        `curl -s '${origin}/api/v1/edge/register' -H 'X-Edge-Token: ${token}' -H 'Content-Type: application/json' -d '{"os": "linux arm64"}'`,
        `curl -s '${origin}/api/v1/edge/heartbeat' -H 'X-Edge-Token: ${token}' -H 'Content-Type: application/json' -d '{"cpu": 12.5, "mem": 41, "disk": 70}'`,
      ].join('\n'),
    },
  ];
}
