import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { text } from '../text';
import { sayWhoIsHere } from './person-here';
import { TIME_FORMS, useLetterKeys, useTimeForm } from './preferences';
import { useMe } from './session';
import { useSignOut } from './use-sign-out';

const THEMES = ['auto', 'light', 'dark'] as const;

/** Account, looks and sign-out. */
export function AccountMenu() {
  const me = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [times, setTimes] = useTimeForm();
  const [hasLetters, setLetters] = useLetterKeys();
  const signOut = useSignOut();
  useEffect(() => sayWhoIsHere(me.id), [me.id]);
  const check = (isOn: boolean) =>
    isOn ? <IconCheck size={14} aria-hidden /> : <span style={{ width: 14 }} />;
  return (
    <Menu position="bottom-end" withArrow width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={text.frame.account}>
          <IconUserCircle size={19} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.email}</Menu.Label>
        <Menu.Item renderRoot={(props: object) => <Link to="/account" {...props} />}>
          {text.frame.account}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{text.frame.theme}</Menu.Label>
        {THEMES.map((scheme) => (
          <Menu.Item
            key={scheme}
            leftSection={check(colorScheme === scheme)}
            onClick={() => setColorScheme(scheme)}
            closeMenuOnClick={false}
          >
            {text.frame.themes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Label>{text.frame.times}</Menu.Label>
        {TIME_FORMS.map((form) => (
          <Menu.Item
            key={form}
            leftSection={check(times === form)}
            onClick={() => setTimes(form)}
            closeMenuOnClick={false}
          >
            {text.frame.timeForms[form]}
          </Menu.Item>
        ))}
        <Menu.Label>{text.frame.keys}</Menu.Label>
        <Menu.Item
          leftSection={check(hasLetters)}
          onClick={() => setLetters(!hasLetters)}
          closeMenuOnClick={false}
          renderRoot={(props: object) => (
            <button type="button" {...props} role="menuitemcheckbox" aria-checked={hasLetters} />
          )}
        >
          {text.frame.letterKeys}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{text.frame.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
