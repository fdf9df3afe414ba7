"""Commands that judge: claims, rulings, cases, reviews, reference checks and reports."""
