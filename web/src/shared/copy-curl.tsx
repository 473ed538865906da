import { Button, CopyButton } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { text } from '../text';
import { type CurlCall, curlLine, pythonLines } from './call-lines';

interface CopyCallProps {
  readonly call: CurlCall;
}

/** The page's call as a line for a shell; the token stays a variable, so nothing secret is copied. */
export const CopyCurl = ({ call }: CopyCallProps) => (
  <CopyCall call={call} write={curlLine} label={text.shared.copyCurl} />
);

/** The same for Python. */
export const CopyPython = ({ call }: CopyCallProps) => (
  <CopyCall call={call} write={pythonLines} label={text.shared.copyPython} />
);

function CopyCall({ call, write, label }: CopyCallProps & { write: typeof curlLine; label: string }) {
  const { tenant } = useParams({ strict: false });
  return (
    <CopyButton value={write(call, tenant ?? null, window.location.origin)}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="subtle" onClick={copy}>
          {copied ? text.shared.copied : label}
        </Button>
      )}
    </CopyButton>
  );
}
