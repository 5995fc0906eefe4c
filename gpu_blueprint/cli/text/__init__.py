"""Text for people: tables, trees and sentences."""
