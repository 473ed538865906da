import { ActionIcon, CopyButton, Group, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { text } from '../text';

/** An id or another short text in fixed width, with a button that copies it. */
export function CopyText({ value, shown = value }: { value: string; shown?: string }) {
  return (
    <Group gap={4} wrap="nowrap" style={{ display: 'inline-flex' }}>
      <span className="mono" style={{ overflowWrap: 'anywhere' }}>
        {shown}
      </span>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? text.shared.copied : text.shared.copy} withArrow>
            <ActionIcon
              size={24}
              variant="subtle"
              color="gray"
              onClick={copy}
              aria-label={`${text.shared.copy} ${shown}`}
            >
              {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
