"""Results as text for people: verdict first, then the table, then what was hidden."""
