import { Kbd, Modal, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { takesText } from '../shared/takes-text';
import { text } from '../text';
import { AREAS } from './areas';
import { useLetterKeys } from './preferences';

const SEQUENCE_MS = 1200;

/** `g` and a letter goes to an area, `/` to the search of the list, `?` shows them all. Never while somebody types, or where they are off. */
export function Shortcuts({ tenant }: { tenant: string | null }) {
  const [isOpen, help] = useDisclosure(false);
  const navigate = useNavigate();
  const startedAt = useRef(0);
  const [isOn] = useLetterKeys();
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isSecond = Date.now() - startedAt.current < SEQUENCE_MS;
      startedAt.current = 0;
      if (isSecond) {
        const area = AREAS.find(({ key }) => key === event.key);
        if (area && tenant !== null) void navigate({ to: area.to, params: { tenant } });
        else if (event.key === 'n') void navigate({ to: '/notifications' });
      } else if (event.key === 'g') startedAt.current = Date.now();
      else if (event.key === '?') help.open();
      else if (event.key === '/') {
        const box = document.querySelector<HTMLInputElement>('input[data-search]');
        if (!box) return;
        box.focus();
        event.preventDefault();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn, tenant, navigate, help]);
  return (
    <Modal opened={isOpen} onClose={help.close} title={text.frame.shortcuts}>
      <Table>
        <Table.Tbody>
          {text.frame.shortcutList.map(([keys, what]) => (
            <Table.Tr key={keys}>
              <Table.Td>
                <Kbd>{keys}</Kbd>
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    takesText(target.tagName, (target as HTMLInputElement).type) ||
    target.closest('[role="dialog"]') !== null);
